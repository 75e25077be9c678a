"""Long conversations written by a model, with the questions that a memory is asked about them."""
