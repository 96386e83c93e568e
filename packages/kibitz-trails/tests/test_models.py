"""Models of negotiators: promises, predictors, meta-proposals, and the rows they are learned from."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from trail_positions import play as played
from trail_positions import seen, start

from kibitz import core
from kibitz.core.errors import BadProgram, BadRecord, Unsupported
from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.core.wording import remarks
from kibitz_lab.arena.scoring.scores import score_records
from kibitz_trails.models.predictors import (
    DATA,
    EXTENDED,
    MetaProposal,
    Predictors,
    meta_proposal,
    plain_offers,
    question_about,
    read_predictors,
)
from kibitz_trails.models.promises import Promises
from kibitz_trails.models.training import tables_of, train
from kibitz_trails.offers import Offer
from kibitz_trails.rules import ACCEPT, State
from kibitz_trails.situation import BASE_RATES, History

NEGOTIATORS = ("trails.honest", "trails.always_renege", "trails.tit_for_tat", "trails.coin_keeper")
DEAL = ("offer 3 yellow for 3 gray", "accept")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [play("trails", pair, seed=seed) for seed, pair in enumerate(permutations(NEGOTIATORS, 2))]


def watching(model: Promises | Predictors, *moves: str, game: str = "trails") -> State:
    """The position after some moves, which the model has watched."""
    model.begin(make_game(game), None, stream(0, "test"))
    state = start(game)
    model.history = seen(state, *moves)
    return state


@pytest.mark.parametrize(
    "game", ["trails(board=di)", "trails(visibility=hidden_chips)", "trails(board=layers(missing=[1, 2, 1]))"]
)
def test_models_watch_other_boards_hidden_chips_and_three_players(game: str) -> None:
    agents = ["trails.perb", "random", "trails.gift_giver"][: make_game(game).players]
    models = ["trails.promises", "trails.predictors", "trails.predictors(features=thesis)@0"]
    for sheet in score_records([play(game, agents, seed=2)], models, game=game):
        assert sheet.refused is None
        assert sheet.errors == {}
    assert make_game(game).usual_model == "trails.types"
    ending = play(game, agents, models=["trails.types"], seed=2, max_plies=12).ending
    assert ending is not None
    assert ending.model_errors == {}


def test_what_nobody_chose_is_no_promise_and_no_row() -> None:
    drawn = play("trails", NEGOTIATORS[:2], seed=3, opening=10_000)
    model = Promises()
    model.begin(make_game("trails"), None, stream(0, "test"))
    before = [model.belief(player) for player in (0, 1)], [model.accepts(player) for player in (0, 1)]
    for moment in replaying(drawn):
        if moment.event is not None:
            model.observe(moment.event.transition(None))
    assert ([model.belief(player) for player in (0, 1)], [model.accepts(player) for player in (0, 1)]) == before
    assert any(each.promised is not None for each in model.history.exchanges), "the history still holds it"
    assert model.history.without_unchosen(0).exchanges == ()
    tables = tables_of([drawn])
    assert not any(table.rows for table in tables.values())


def test_an_answer_that_was_played_for_a_player_says_nothing_of_them() -> None:
    state = start("trails")
    history = History()
    for number, move in enumerate((*DEAL, "send 3 yellow | send 1 gray")):
        before, own = state.clone(), number != 1
        players = range(2) if before.current_player() == core.SIMULTANEOUS else (before.current_player(),)
        words = zip(players, move.split(" | "), strict=True)
        actions = tuple(before.string_to_action(player, text) for player, text in words)
        state.step(actions)
        flags = (True,) * len(actions) if own else (False,)
        history.observe(core.Transition(number, before.current_player(), actions, before, state.clone(), flags))
    partner = history.proposals[0].partner
    assert history.without_unchosen(1 - partner).proposals == history.proposals
    assert history.without_unchosen(partner).proposals == ()
    assert len(history.without_unchosen(partner).exchanges) == 1


def test_promises_are_judged_by_what_they_were_worth() -> None:
    model = Promises(prior=1.0, fading=0.5)
    watching(model, *DEAL, "send 3 yellow | send 1 gray")
    assert model.belief(0)["all"] == pytest.approx((0.385 + 1.0) / 2.0)
    assert model.belief(1)["some"] == pytest.approx((0.037 + 1.0) / 2.0)
    assert "kept 10% of the value of" in remarks(model.explain(1))[0]
    with pytest.raises(Unsupported, match="Colored Trails only"):
        Promises().begin(make_game("dilemma"), 0, stream(0, "test"))


def test_answers_are_expected_as_they_came() -> None:
    model = Promises(prior=1.0)
    state = watching(model, "offer 3 yellow for 3 gray", "reject", "offer 1 gray for 1 yellow")
    assert model.predict(state, 0).probability(ACCEPT) == pytest.approx(0.468)
    assert model.accepts(1) == pytest.approx(0.234)


def test_what_is_sent_is_none_some_or_all_of_the_promise() -> None:
    model = Predictors()
    state = watching(model, *DEAL)
    (shares,) = model.shares(state, 1, "transfer")
    expected, legal = model.predict(state, 1), state.legal_actions(1)
    none, whole = (state.string_to_action(1, text) for text in ("send nothing", "send 3 gray"))
    part, gift = (state.string_to_action(1, text) for text in ("send 2 gray", "send 3 gray 1 red"))
    assert expected.probability(none) == pytest.approx(0.98 * shares["none"])
    assert expected.probability(whole) == pytest.approx(0.98 * shares["all"])
    assert expected.probability(part) == pytest.approx(0.98 * shares["some"] / 2)
    assert expected.probability(gift) == pytest.approx(0.02 / (len(legal) - 4))


def test_a_cheat_is_trusted_less() -> None:
    honest, cheat = Predictors(), Predictors()
    then = "stay | stay", "offer 1 red for 1 red", "accept"
    kept = watching(honest, "offer 1 red for 1 red", "accept", "send 1 red | send 1 red", *then)
    broken = watching(cheat, "offer 1 red for 1 red", "accept", "send 1 red | send nothing", *then)
    none = kept.string_to_action(1, "send nothing")
    assert cheat.predict(broken, 1).probability(none) > 0.5 > honest.predict(kept, 1).probability(none)


def test_offers_are_foretold_by_their_meta_proposals() -> None:
    model = Predictors()
    state = watching(model)
    expected = model.predict(state, 0)
    (metas,) = model.shares(state, 0, "proposal")
    likeliest = MetaProposal.of(max(metas, key=lambda text: metas[text]))
    (action, _), *_ = [each for each in expected.top(3) if each[0] != 0]
    own, other = question_about(state, 0).side(0), question_about(state, 0).side(1)
    assert meta_proposal(own, other, *state.offers().sides(action)) == likeliest


def test_a_meta_proposal_tells_who_lacks_the_chips() -> None:
    question = question_about(start(), 0)
    own, other = question.side(0), question.side(1)
    assert meta_proposal(own, other, (0, 0, 0, 3, 0), (0, 0, 0, 0, 3)) == MetaProposal(0, 3, -3, 0)
    assert meta_proposal(other, own, (0, 0, 0, 0, 3), (0, 0, 0, 3, 0)) == MetaProposal(0, 3, -3, 0)
    assert meta_proposal(own, other, (2, 0, 0, 0, 0), (0, 1, 0, 0, 0)) == MetaProposal(0, 0, 0, -1)


@pytest.mark.parametrize("text", ["0:3:-3:0", "0:1:-1:0", "0:2:0:-2", "0:0:0:0"])
def test_plain_offers_come_to_their_meta_proposal(text: str) -> None:
    question, meta = question_about(start(), 0), MetaProposal.of(text)
    own, other = question.side(0), question.side(1)
    found = plain_offers(own, other, meta)
    assert found
    assert all(meta_proposal(own, other, *offer) == meta for offer in found)
    assert len(set(found)) == len(found)
    if text == "0:3:-3:0":
        assert found == [Offer((0, 0, 0, 3, 0), (0, 0, 0, 0, 3))]


@pytest.mark.long
def test_rows_tell_what_happened(records: list[Record]) -> None:
    tables = tables_of(records)
    texts = [entry.actions for record in records for entry in record.entries]
    said = Counter(action.split()[0] for actions in texts for action in actions)
    labels = {name: Counter(row.label for row in table.rows) for name, table in tables.items()}
    assert labels["response"]["accept"] == said["accept"]
    assert labels["response"]["reject"] == said["reject"]
    assert labels["proposing"] == {"offer": said["offer"], "pass": said["pass"]}
    assert labels["proposal"].total() == said["offer"]
    assert labels["transfer"].total() == 2 * said["accept"]
    assert {row.label for row in tables["transfer"].rows if row.agent == "trails.always_renege"} == {"none"}
    assert {row.label for row in tables["transfer"].rows if row.agent == "trails.honest"} == {"all"}
    assert {row.game for row in tables["response"].rows} <= {str(number) for number in range(len(records))}


def test_a_row_holds_what_the_model_asks_for(records: list[Record]) -> None:
    row = tables_of(records[:1])["response"].rows[0]
    state = start()
    played(state, records[0].entries[0].actions[0])
    model = Predictors()
    watching(model, records[0].entries[0].actions[0])
    assert question_about(state, state.partner).features(model.history) == row.values
    named = dict(zip([column.name for column in EXTENDED], row.values, strict=True))
    assert (named["playerMissing"], named["playerMissingAfterDeal"], named["round"]) == (3, 0, 0)
    assert named["opponentAcceptedShare"] is None


def test_trained_predictors_come_back_from_their_file(records: list[Record], tmp_path: Path) -> None:
    found = train(Predictors(features="thesis"), records, stream(0, "train"), lambda *_: None)
    assert found.learned is not None
    path = tmp_path / "mine.json"
    found.learned.write(path, {"records": 12})
    again = read_predictors(path)
    assert again.programs == found.model.preset.programs  # type: ignore[attr-defined]
    reader = found.learned.reader(path)
    state = watching(reader, *DEAL)  # type: ignore[arg-type]
    trained = found.model
    watching(trained, *DEAL)  # type: ignore[arg-type]
    assert reader.predict(state, 0).top(3) == trained.predict(state, 0).top(3)
    with pytest.raises(Unsupported, match="features=thesis"):
        watching(Predictors(trained=str(path)))


def test_records_of_other_games_and_games_without_talk_teach_nothing(records: list[Record]) -> None:
    with pytest.raises(BadRecord, match="not Colored Trails"):
        tables_of([play("dilemma(rounds=2)", ["random", "random"], seed=0)])
    silent = [play("trails", ["trails.mute", "trails.mute"], seed=0)]
    found = train(Predictors(), silent, stream(0, "train"), lambda *_: None)
    assert [note.partition(":")[0] for note in found.notes] == ["response", "transfer", "proposal"]
    assert [table.layout.name for table in found.tables] == ["proposing"]
    state = watching(found.model, *DEAL[:1])  # type: ignore[arg-type]
    assert found.model.predict(state, 1).probability(ACCEPT) == pytest.approx(BASE_RATES["accept"])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: "{", "no predictors of Colored Trails"),
        (lambda text: text.replace('"version":1', '"version":9', 1), "version 9"),
        (lambda text: text.replace('"transfer":{"learner"', '"other":{"learner"', 1), "nothing that other answers"),
        (lambda text: text.replace('"features":"thesis"', '"features":"extended"', 1), "columns or labels"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: object, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(change((DATA / "predictors_thesis.json").read_text()))  # type: ignore[operator]
    with pytest.raises(BadProgram, match=why):
        read_predictors(path)
    with pytest.raises(Unsupported, match="train some first"):
        watching(Predictors(trained=str(tmp_path / "none.json")))
