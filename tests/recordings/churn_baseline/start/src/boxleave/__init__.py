"""Which customers of the vegetable box are about to leave?"""
