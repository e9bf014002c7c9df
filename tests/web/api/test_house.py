"""The house over the API: health, metrics, reports, significant events, digests, disabling."""

from __future__ import annotations

import re

import httpx
import pytest
from msgspec.structs import replace

from taisai.client import Refused
from taisai.settings.forms import Listen
from taisai.table import commands as c
from tests.web.asking import one_shape
from tests.web.serving import on_a_loop, open_house, settings_for

FORMS = {"json": "application/json", "csv": "text/csv", "events": "text/csv", "html": "text/html"}


@on_a_loop
async def test_a_disabled_table_begins_no_round() -> None:
    """A supervisor disables a table: no round can begin until it is enabled again (R35)."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan, sue = running.crew["dan"], running.crew["sue"]
        body = {"what": "T1", "reason": "the camera is dark"}
        assert await sue.call("POST", "/api/house/disable", body) == {"disabled": ["T1"]}
        async with httpx.AsyncClient(base_url=running.address) as http:
            answer = await http.post(
                "/api/tables/T1/commands",
                json={"id": "x", "do": {"do": "open-bets"}},
                headers={"authorization": f"Bearer {dan.token}"},
            )
        assert (answer.status_code, one_shape(answer)["code"]) == (503, "disabled")
        assert (await running.client.floor()).tables[0].disabled
        await sue.call("POST", "/api/house/enable", body)
        await dan.do("T1", c.OpenBets())
        kinds = [each["kind"] for each in await sue.call("GET", "/api/house/events", query={"all": True})]
        assert {"house.table-disabled", "house.table-enabled"} <= set(kinds)


@on_a_loop
async def test_a_disabling_is_lifted_by_its_rank_or_above() -> None:
    """A supervisor lifts neither an administrator's house-wide disabling nor makes it their own; an equal rank may."""
    async with open_house() as running:
        await running.ready_table("T1")
        await running.hire("pat", "kim")
        for what in ("*", "T1"):
            body = {"what": what, "reason": "the camera is dark"}
            for by, others in (("admin", ("sue", "pat", "kim")), ("kim", ("sue", "pat"))):
                await running.crew[by].call("POST", "/api/house/disable", body)
                for other in others:
                    for _ in range(2):
                        with pytest.raises(Refused) as refused:
                            await running.crew[other].call("POST", "/api/house/enable", body)
                        assert refused.value.code == "not-allowed"
                        await running.crew[other].call("POST", "/api/house/disable", body)
                assert (await running.client.floor()).tables[0].disabled
                assert await running.crew[by].call("POST", "/api/house/enable", body) == {"disabled": []}
            await running.crew["sue"].call("POST", "/api/house/disable", body)
            assert await running.crew["pat"].call("POST", "/api/house/enable", body) == {"disabled": []}


@on_a_loop
async def test_a_supervisor_of_one_table_reads_of_that_table() -> None:
    """Reports and the house's events show a supervisor the tables of their post; the house's audit is not theirs."""
    async with open_house() as running:
        await running.ready_table("Waikato")
        await running.ready_table("Otago")
        await running.hire("pat", tables=("Otago",))
        pat, sue = running.crew["pat"], running.crew["sue"]
        for what in ("Waikato", "Otago"):
            await sue.call("POST", "/api/house/disable", {"what": what, "reason": "to try"})
        report = await pat.call("GET", "/api/report", query={"by": "life"})
        assert {row["table"] for row in report["rows"]} == {"Otago"}
        assert {each["table"] for each in report["significant"]} <= {"Otago", "@house"}
        assert "Waikato" not in str(report)
        with pytest.raises(Refused) as refused:
            await pat.call("GET", "/api/report", query={"by": "life", "table": "Waikato"})
        assert refused.value.code == "not-here"
        events = await pat.call("GET", "/api/house/events", query={"all": True})
        assert [each["told"] for each in events if "Waikato" in each["told"] or "sign" in each["kind"]] == []
        assert [each["kind"] for each in events] == ["house.table-disabled"]
        for method in ("GET", "POST"):
            with pytest.raises(Refused) as refused:
                await pat.call(method, "/api/house/audit")
            assert refused.value.code == "not-allowed"
        whole = await sue.call("GET", "/api/report", query={"by": "life"})
        assert {row["table"] for row in whole["rows"]} == {"Waikato", "Otago"}


@on_a_loop
async def test_only_what_exists_and_is_reached_is_disabled() -> None:
    """An unknown table, a table of somebody else's and a dealer's wish are refused."""
    async with open_house() as running:
        await running.ready_table("T1")
        await running.hire("pat", tables=("T2",))
        for login, what, code in (
            ("sue", "T9", "no-such-table"),
            ("pat", "T1", "not-here"),
            ("dan", "T1", "not-allowed"),
        ):
            with pytest.raises(Refused) as refused:
                await running.crew[login].call("POST", "/api/house/disable", {"what": what, "reason": "to try"})
            assert refused.value.code == code, login


@on_a_loop
async def test_health_readiness_and_metrics() -> None:
    """The house reports that it runs, that it takes bets, and what it has done."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 100)
            health = await running.client.call("GET", "/healthz")
            assert (health["ok"], health["tables"], health["broken"]) == (True, 1, [])
            assert (await running.client.call("GET", "/readyz"))["ok"]
            text = await running.client.call("GET", "/metrics")
        figures = dict(re.findall(r"^(taisai_\w+(?:\{[^}]*\})?) ([\d.e+]+)$", text, re.MULTILINE))
        assert float(figures["taisai_bets_total"]) == 1
        assert float(figures["taisai_connections"]) == 1
        assert float(figures['taisai_watchers{table="T1"}']) == 1
        assert float(figures["taisai_commits_total"]) > 5
        assert 'taisai_requests_total{path="/api/seat",status="200"}' in figures


@on_a_loop
async def test_readiness_lists_what_somebody_has_to_look_at(caplog: pytest.LogCaptureFixture) -> None:
    """A log that is not signed and a round that waits for people are told; probes are not logged."""
    async with open_house() as running:
        await running.ready_table("T1")
        with caplog.at_level("INFO", "taisai.web"):
            assert (await running.client.call("GET", "/readyz"))["degraded"] == []
        assert [each for each in caplog.messages if "/readyz" in each] == []
        heads = running.context.heads
        heads.now = replace(heads.now, fault="the key is gone")
        await running.crew["dan"].do("T1", c.OpenBets())
        await running.crew["dan"].do("T1", c.Interrupt("the power failed"))
        told = (await running.client.call("GET", "/readyz"))["degraded"]
        assert told == [
            "the log is not signed: the key is gone",
            "a round is interrupted and waits for people: T1",
        ]


@on_a_loop
async def test_metrics_are_for_the_addresses_of_the_settings() -> None:
    """Turnover can be read from them, so an address that is not named is refused."""
    settings = replace(settings_for(), listen=Listen(port=0, metrics_from=("10.0.0.0/8",)))
    async with open_house(settings) as running:
        with pytest.raises(Refused) as refused:
            await running.client.call("GET", "/metrics")
        assert (refused.value.code, refused.value.allowed) == ("not-allowed", "listen.metrics_from")


@on_a_loop
async def test_a_report_comes_in_every_form() -> None:
    """The same rows as JSON, CSV and HTML, the events as CSV; the page's policy allows its own style alone."""
    async with open_house() as running:
        await running.ready_table("T1")
        await running.seat("ann")
        token = {"authorization": f"Bearer {running.crew['sue'].token}"}
        async with httpx.AsyncClient(base_url=running.address, headers=token) as http:
            forms = {form: await http.get("/api/report", params={"form": form, "by": "life"}) for form in FORMS}
            strange = await http.get("/api/report", params={"form": "pdf"})
        (row,) = forms["json"].json()["rows"]
        assert (row["table"], row["drop"]) == ("T1", 20_000)
        assert {form: answer.headers["content-type"].partition(";")[0] for form, answer in forms.items()} == FORMS
        assert "T1" in forms["csv"].text
        assert forms["events"].text.startswith("at,table,record,")
        assert "script" not in forms["html"].headers["content-security-policy"]
        assert one_shape(strange)["field"] == "form"


@on_a_loop
async def test_the_pit_shows_the_return_as_the_report_does() -> None:
    """Nothing before a stake; then the return with the interval of the report over the table's life (R33)."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        dan, sue = running.crew["dan"], running.crew["sue"]
        (card,) = await sue.call("GET", "/api/pit")
        assert card["returned"] is None
        await dan.do("T1", c.OpenBets())
        await ann.do("T1", c.PlaceBet("ann", "small", 1_000))
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
            await dan.do("T1", step)
        (card,) = await sue.call("GET", "/api/pit")
        (row,) = (await sue.call("GET", "/api/report", query={"by": "life"}))["rows"]
        assert card["returned"] == {
            name: row[name] for name in ("actual", "theoretical", "lowest", "highest", "outside")
        }
        assert card["returned"]["actual"] == 2.0


@on_a_loop
async def test_digests_are_verified_on_demand() -> None:
    """Any staff may verify program, books and settings (R36); an unchanged house has no difference."""
    async with open_house() as running:
        await running.hire("ada")
        found = await running.crew["ada"].call("POST", "/api/house/verify")
        assert found["differences"] == []
        assert set(found["books"]) >= {"rws-tai-sai-v6", "nz-division-9"}
