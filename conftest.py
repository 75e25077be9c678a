"""Nothing is defined here: the plugin under test is installed, and pyproject.toml loads pytester.

``pytest_plugins`` would be an error for users of an editable install, whose
sessions collect the packaged module below this folder from elsewhere.
"""
