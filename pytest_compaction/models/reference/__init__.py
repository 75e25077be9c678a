"""The reference run: replies of a large language model that come with the package."""
