"""What a run waits on: event loops and threads, and the limit of requests in flight."""
