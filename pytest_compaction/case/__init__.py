"""Cases: the data model, reading case files, and what is wrong with them."""
