"""What was computed for a page ends when its visitor has left."""

import asyncio
import time

import pytest
from nicegui import Client, ui

from kibitz_web.page_frame import while_viewed
from kibitz_web.server.workers.compute import Compute


@pytest.mark.system
def test_work_for_a_page_ends_with_the_page() -> None:
    async def left() -> None:
        compute = Compute(workers=1)
        await compute.run_cpu(int)  # NiceGUI forgets every ten seconds where others' tasks are
        client = Client(ui.page("/picture"))

        async def press_button() -> None:
            with client:
                await while_viewed(compute.run_cpu(time.sleep, 1000.0, payer="ann"))

        task = asyncio.create_task(press_button())
        while compute.usage()["running"] == 0:
            await asyncio.sleep(0.01)
        client.delete()
        await asyncio.wait([task], timeout=40.0)
        assert task.cancelled()
        while compute.usage()["workers"] > len(compute.spare):
            await asyncio.sleep(0.01)
        await asyncio.to_thread(compute.close)

    asyncio.run(asyncio.wait_for(left(), 60.0))
