"""Reads PRISM-games models: the declarations of a `.prism` file, in any order."""

from kibitz.core.errors import BadGame, advice
from kibitz.solve.prism.expressions import Expression, ExpressionReader, expand
from kibitz.solve.prism.model import (
    Command,
    Constant,
    Model,
    Module,
    RewardItem,
    Update,
    Variable,
    expand_formulas,
    expand_module,
    expand_reward,
    rename_module,
)
from kibitz.solve.prism.tokens import END, Token, Words

OTHER_TYPES = frozenset(
    [
        "dtmc",
        "ctmc",
        "mdp",
        "pta",
        "smg",
        "pomdp",
        "popta",
        "stpg",
        "tptg",
        "imdp",
        "idtmc",
        "lts",
        "tsg",
        "icsg",
        "probabilistic",
        "nondeterministic",
        "stochastic",
    ]
)
NOT_READ = {
    "system": "compositions of modules (`system … endsystem`) are not read; modules run side by side",
    "invariant": "invariants belong to timed models, which are not read",
    "observables": "observables belong to partially observable models, which are not read",
    "observable": "observables belong to partially observable models, which are not read",
}


def read_model(text: str, source: str) -> Model:
    """Read a model; raises BadGame with the line and column of what cannot be read."""
    try:
        return ModelReader(Words(text, source)).read()
    except RecursionError:
        raise BadGame(source, "an expression is nested too deeply") from None


class ModelReader:
    """Reads the declarations of a model, in any order."""

    def __init__(self, words: Words) -> None:
        self.words, self.model, self.typed = words, Model(words.source), False
        self.renamed: list[tuple[Token, Token, dict[str, str]]] = []
        """Modules made from others: both names, and what is renamed."""
        self.written: list[str] = []

    def expression(self) -> Expression:
        return ExpressionReader(self.words).read()

    def read(self) -> Model:
        words = self.words
        readers = {
            "const": self._constant,
            "formula": self._formula,
            "label": self._label,
            "global": self._global,
            "player": self._player,
            "module": self._module,
            "rewards": self._rewards,
            "init": self._initial,
        }
        while words.next.kind != END:
            word = words.next
            if word.text in readers and word.kind == "name":
                words.take()
                readers[word.text]()
            elif word.text == "csg":
                words.take()
                self.typed = True
            elif word.text in OTHER_TYPES:
                raise words.error(f"only concurrent stochastic games (`csg`) are read, not `{word.text}` models")
            elif word.text in NOT_READ:
                raise words.error(NOT_READ[word.text])
            else:
                raise words.error(f"expected a declaration, not {word.words}; {advice(word.text, [*readers, 'csg'])}")
        if not self.typed:
            raise BadGame(self.words.source, "it does not say `csg`; only concurrent stochastic games are read")
        return self._finish()

    def _constant(self) -> None:
        read_constant(self.words, self.model.constants)

    def _formula(self) -> None:
        name = self.words.expect_name("the name of a formula")
        self.words.expect("=")
        self.model.formulas[name.text] = self.expression()
        self.words.expect(";", "after a formula")

    def _label(self) -> None:
        name = self.words.expect_text("the name of a label")
        self.words.expect("=")
        self.model.labels[name] = self.expression()
        self.words.expect(";", "after a label")

    def _global(self) -> None:
        self.model.variables.append(self._variable())

    def _variable(self) -> Variable:
        words = self.words
        name = words.expect_name("the name of a variable")
        words.expect(":")
        least: Expression | None = None
        most: Expression | None = None
        if words.skip("["):
            least = self.expression()
            words.expect("..", "between the bounds of a variable")
            most = self.expression()
            words.expect("]")
        elif not words.skip("bool"):
            raise words.error(f"variables are `bool` or have bounds `[least..most]`; {words.next.words} is not read")
        initial = self.expression() if words.skip("init") else None
        words.expect(";", f"after the variable {name.text!r}")
        return Variable(name.text, least, most, initial, name)

    def _player(self) -> None:
        words = self.words
        name = words.expect_name("the name of a player")
        if name.text in self.model.players:
            raise words.error(f"there are two players {name.text!r}", name)
        owned: list[Token] = []
        while not words.skip("endplayer"):
            if words.sees("["):
                raise words.error(
                    "players own modules, and by them actions; single actions are read in turn-based games only"
                )
            if words.skip("module"):
                nested = words.ahead(1).text not in (",", "endplayer")
                owned.append(self._module() if nested else words.expect_name("the name of a module"))
            else:
                owned.append(words.expect_name("the name of a module, or `endplayer`"))
            words.skip(",")
        self.model.players[name.text] = owned

    def _module(self) -> Token:
        words = self.words
        name = words.expect_name("the name of a module")
        if name.text in self.written:
            raise words.error(f"there are two modules {name.text!r}", name)
        self.written.append(name.text)
        if words.skip("="):
            original = words.expect_name("the name of a module")
            self.renamed.append((name, original, self._names()))
            words.expect("endmodule")
            return name
        variables: list[Variable] = []
        commands: list[Command] = []
        while not words.skip("endmodule"):
            if words.sees("["):
                commands.append(self._command())
            elif words.sees("invariant"):
                raise words.error(NOT_READ["invariant"])
            else:
                variables.append(self._variable())
        self.model.modules[name.text] = Module(name.text, tuple(variables), tuple(commands), name)
        return name

    def _names(self) -> dict[str, str]:
        """`[old=new, …]`."""
        words, names = self.words, {}
        words.expect("[", "and what is renamed")
        while not words.skip("]"):
            old = words.expect_name("a name")
            words.expect("=")
            names[old.text] = words.expect_name("a name").text
            if not words.sees("]"):
                words.expect(",")
        return names

    def _actions(self) -> tuple[str, ...]:
        """`[a,b]`, possibly empty."""
        words, actions = self.words, []
        words.expect("[")
        while not words.skip("]"):
            actions.append(words.expect_name("an action").text)
            if not words.sees("]"):
                words.expect(",")
        return tuple(actions)

    def _command(self) -> Command:
        words, at = self.words, self.words.next
        actions = self._actions()
        guard = self.expression()
        words.expect("->", "after a guard")
        updates = [self._update()]
        while words.skip("+"):
            updates.append(self._update())
        words.expect(";", "after a command")
        return Command(actions, guard, tuple(updates), at)

    def _update(self) -> Update:
        probability = Expression("value", leaf=1)
        if not self._at_assignments():
            probability = self.expression()
            self.words.expect(":", "between a probability and an update")
        return Update(probability, self._assignments())

    def _at_assignments(self) -> bool:
        words = self.words
        if words.sees("true") and words.ahead(1).text in (";", "+"):
            return True
        return words.sees("(") and words.ahead(1).kind == "name" and words.ahead(2).text == "'"

    def _assignments(self) -> tuple[tuple[Token, Expression], ...]:
        words = self.words
        if words.skip("true"):
            return ()
        found = []
        while True:
            words.expect("(", "before an assignment `(variable'=value)`")
            name = words.expect_name("a variable")
            words.expect("'")
            words.expect("=")
            found.append((name, self.expression()))
            words.expect(")", f"after the new value of {name.text!r}")
            if not words.skip("&"):
                return tuple(found)

    def _rewards(self) -> None:
        words, items = self.words, []
        name = words.take().text[1:-1] if words.next.kind == "text" else ""
        while not words.skip("endrewards"):
            at = words.next
            actions = self._actions() if words.sees("[") else None
            guard = self.expression()
            words.expect(":", "between the guard and the amount of a reward")
            items.append(RewardItem(actions, guard, self.expression(), at))
            words.expect(";", "after a reward")
        self.model.rewards.append((name, items))

    def _initial(self) -> None:
        self.model.initial = self.expression()
        self.words.expect("endinit")

    def _finish(self) -> Model:
        """Expand formulas, then make the modules that are others renamed, in the order of the file."""
        model = self.model
        model.formulas = expand_formulas(model.formulas)
        made = {name: expand_module(module, model.formulas) for name, module in model.modules.items()}
        for name, original, names in self.renamed:
            if original.text not in made:
                raise self.words.error(f"no module {original.text!r}; {advice(original.text, made)}", original)
            made[name.text] = rename_module(made[original.text], name, names)
        model.modules = {name: made[name] for name in self.written}
        for module in model.modules.values():
            model.variables.extend(module.variables)
        model.labels = {name: expand(each, model.formulas) for name, each in model.labels.items()}
        model.rewards = [
            (name, [expand_reward(item, model.formulas) for item in items]) for name, items in model.rewards
        ]
        self._check_names()
        return model

    def _check_names(self) -> None:
        model = self.model
        seen: dict[str, str] = dict.fromkeys(model.constants, "constant")
        for variable in model.variables:
            if variable.name in seen:
                raise self.words.error(f"{variable.name!r} is a {seen[variable.name]} already", variable.at)
            seen[variable.name] = "variable"
        owners: dict[str, str] = {}
        for player, owned in model.players.items():
            for name in owned:
                if name.text not in model.modules:
                    raise self.words.error(f"no module {name.text!r}; {advice(name.text, model.modules)}", name)
                if name.text in owners:
                    raise self.words.error(f"the module {name.text!r} is {owners[name.text]}'s already", name)
                owners[name.text] = player
        if not model.players:
            raise BadGame(self.words.source, "it has no players (`player name module endplayer`)")


def read_constant(words: Words, constants: dict[str, Constant]) -> None:
    """`const [kind] name [= definition];` after its first word."""
    kind = words.take().text if words.next.text in ("int", "double", "bool") else "int"
    name = words.expect_name("the name of a constant")
    if name.text in constants:
        raise words.error(f"the constant {name.text!r} is declared twice", name)
    definition = ExpressionReader(words).read() if words.skip("=") else None
    words.expect(";", f"after the constant {name.text!r}")
    constants[name.text] = Constant(name, kind, definition)
