"""The options of the command line and the ini keys, and the settings made from them."""
