/** The effect of typed characters, besides what the terminal shows. */
export type Typed =
  | { kind: "line"; text: string }
  /** Ctrl-C. */
  | { kind: "interrupt" }
  /** Ctrl-D on an empty line. */
  | { kind: "end" };

// oxlint-disable-next-line no-control-regex -- these are the characters a keyboard sends
const ESCAPE_SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])/u;
const MAX_ESCAPE = 16;

/** Edits the line typed into a terminal in line mode: backspace, Ctrl-U and Ctrl-W erase, cursor keys do nothing. */
export class LineEditor {
  #line: string[] = [];

  /**
   * Takes characters up to the first that has an effect. Returns what a terminal shows for them, their effect, and the
   * remaining characters.
   */
  take(typed: string): { shown: string; does: Typed | undefined; rest: string } {
    let shown = "";
    for (let rest = typed; rest !== "";) {
      const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      if (character === "\u001b") {
        const sequence = ESCAPE_SEQUENCE.exec(rest)?.[0];
        // An incomplete escape sequence waits for its end.
        if (sequence === undefined && rest.length < MAX_ESCAPE) return { shown, does: undefined, rest };
        rest = rest.slice(sequence?.length ?? 1);
        continue;
      }
      rest = rest.slice(character.length);
      switch (character) {
        case "\r":
        case "\n": {
          if (character === "\r" && rest.startsWith("\n")) rest = rest.slice(1);
          const text = this.#line.join("");
          this.#line = [];
          return { shown: `${shown}\r\n`, does: { kind: "line", text }, rest };
        }
        case "\u0003":
          this.#line = [];
          return { shown: `${shown}^C\r\n`, does: { kind: "interrupt" }, rest };
        case "\u0004":
          if (this.#line.length === 0) return { shown, does: { kind: "end" }, rest };
          break;
        case "\u0008":
        case "\u007f":
          shown += this.#erase(1);
          break;
        case "\u0015":
          shown += this.#erase(this.#line.length);
          break;
        case "\u0017":
          shown += this.#erase(/\S*\s*$/u.exec(this.#line.join(""))?.[0].length ?? 0);
          break;
        default:
          if (character !== "\t" && character < " ") break;
          this.#line.push(character);
          shown += character;
      }
    }
    return { shown, does: undefined, rest: "" };
  }

  #erase(count: number): string {
    const erased = this.#line.splice(Math.max(this.#line.length - count, 0));
    return "\b \b".repeat(erased.length);
  }
}
