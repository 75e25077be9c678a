"""Reading transcripts: lines, documents and streams, and the parts that formats share."""
