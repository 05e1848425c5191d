/** Longest sequence that is held back for its end, in characters; a longer one is none. */
const MAX_SEQUENCE = 64;

/** Modes that show the alternate screen. */
const ALTERNATE = [47, 1047, 1049];

const ESCAPE = "\u001B";

/** Modes of the DEC private set that are on in a terminal as a shell finds it: wrapping at the edge, and the cursor. */
const ON_AT_FIRST: ReadonlySet<number> = new Set([7, 25]);

/** `CSI ? … h` and `CSI ? … l` set and reset modes; `ESC =` is the keypad of applications, `CSI > 4 ; n m` other keys. */
// oxlint-disable-next-line no-control-regex
const CHANGE = /\u001B(?:\[\?([\d;]+)([hl])|(=)|(>)|\[>4;(\d)m)/gu;

/**
 * What a shell's output has changed about the terminal: the alternate screen, a hidden cursor, reports of the mouse. A program
 * that is cut off in the middle does not change it back.
 * Source: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
 */
export class ScreenModes {
  /** Modes that are not as they were at first. */
  readonly #changed = new Set<number>();
  #isKeypadChanged = false;
  #areKeysChanged = false;
  /** The beginning of a sequence whose end is still to come. */
  #held = "";

  /** Takes a piece of output in; a sequence may be cut between two pieces. */
  take(output: string): void {
    const text = this.#held + output;
    for (const [, modes, verb, keypad, noKeypad, keys] of text.matchAll(CHANGE)) {
      if (modes !== undefined) for (const mode of modes.split(";")) this.#set(Number(mode), verb === "h");
      if (keypad !== undefined) this.#isKeypadChanged = true;
      if (noKeypad !== undefined) this.#isKeypadChanged = false;
      if (keys !== undefined) this.#areKeysChanged = keys !== "0";
    }
    const last = text.lastIndexOf(ESCAPE);
    const tail = last === -1 ? "" : text.slice(last);
    // oxlint-disable-next-line no-control-regex
    this.#held = tail.length < MAX_SEQUENCE && /^\u001B(?:\[[?>]?[\d;]*)?$/u.test(tail) ? tail : "";
  }

  /** Whether a program has the screen to itself. */
  get isFullScreen(): boolean {
    return ALTERNATE.some((mode) => this.#changed.has(mode));
  }

  /** The sequence that makes the terminal as it was; of styles it knows nothing, and always ends them. */
  undo(): string {
    const modes = [...this.#changed].map((mode) => `${ESCAPE}[?${mode}${ON_AT_FIRST.has(mode) ? "h" : "l"}`);
    return [
      ...modes,
      this.#isKeypadChanged ? `${ESCAPE}>` : "",
      this.#areKeysChanged ? `${ESCAPE}[>4;0m` : "",
      `${ESCAPE}[0m`,
    ].join("");
  }

  #set(mode: number, isOn: boolean): void {
    if (isOn === ON_AT_FIRST.has(mode)) this.#changed.delete(mode);
    else this.#changed.add(mode);
  }
}
