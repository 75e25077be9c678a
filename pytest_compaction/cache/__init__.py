"""Results of rules, kept from run to run in a file of the project."""
