"""Calls made through a store, and the files that it keeps of them."""

import asyncio


def ask(store, *calls):
    async def all_of_them():
        return await asyncio.gather(*map(store.call, calls))

    return asyncio.run(all_of_them())


def files(folder):
    return sorted(path for path in folder.rglob("*.json"))


def path_of(folder, call):
    return folder / call.digest[:2] / f"{call.digest}.json"
