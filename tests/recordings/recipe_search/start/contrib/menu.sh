#!/bin/sh
# Makes the menu of a day on the office machine: menu.sh soup tart
# Every word is looked up in the titles; all that is found goes to the printer queue.
set -eu
queue=thursday-a4
for word in "$@"; do
    python3 -m larder --root /home/office/larder find "$word" | cut -f1
done | sort -u | while read -r id; do
    python3 -m larder --root /home/office/larder show "$id" | lp -d "$queue" -o cpi=14
done
