"""Published results of dialogue evaluations, read as they were released."""
