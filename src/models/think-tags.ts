const OPENING = "<think>";
const CLOSING = "</think>";

/** A piece of an answer: text that is shown, and thinking that is not. */
export interface Parted {
  text: string;
  thought: string;
}

/** Where a reader is: in text, in a line's code span of some backticks, in a fenced block, or in thinking. */
type Place =
  | { kind: "text" }
  | { kind: "span"; ticks: number }
  | { kind: "block"; fence: string }
  | { kind: "thought"; isSure: boolean };

/**
 * Separates the thinking that some servers leave in the text, between `<think>` and `</think>`, piece by piece. Tags in
 * code are text. A tag that is never closed is thinking if it begins a line; in the middle of a line it is text.
 */
export class ThinkTags {
  /** What has arrived and is not decided yet. */
  #waiting = "";
  /** How much of it has no closing tag, so that it is not searched again. */
  #searched = 0;
  #place: Place = { kind: "text" };
  /** Whether only white space precedes in the line. */
  #beginsLine = true;
  /** Whether nothing but white space was shown; white space after thinking is left out until then. */
  #isEmpty = true;
  #hasThought = false;

  /** Takes a piece, and returns what is decided. */
  push(piece: string): Parted {
    this.#waiting += piece;
    return this.#read(false);
  }

  /** Returns the rest of an answer that has ended. */
  end(): Parted {
    return this.#read(true);
  }

  #read(isEnd: boolean): Parted {
    const parted = { text: "", thought: "" };
    while (this.#waiting !== "") {
      if (this.#place.kind === "thought") {
        if (!this.#readThought(parted, this.#place.isSure, isEnd)) break;
      } else if (!this.#readText(parted, isEnd)) break;
    }
    return parted;
  }

  /** Returns whether anything was read. */
  #readThought(parted: Parted, isSure: boolean, isEnd: boolean): boolean {
    const close = this.#waiting.indexOf(CLOSING, this.#searched);
    this.#searched = Math.max(0, this.#waiting.length - CLOSING.length);
    if (close !== -1) {
      this.#searched = 0;
      const start = isSure ? 0 : OPENING.length;
      parted.thought += this.#waiting.slice(start, close);
      this.#waiting = this.#waiting.slice(close + CLOSING.length);
      this.#place = { kind: "text" };
      this.#hasThought = true;
      return true;
    }
    if (!isSure && !isEnd) return false;
    this.#searched = 0;
    if (!isSure) {
      // A tag that was only mentioned.
      this.#place = { kind: "text" };
      this.#show(parted, OPENING);
      this.#waiting = this.#waiting.slice(OPENING.length);
      return true;
    }
    const kept = isEnd ? 0 : overlap(this.#waiting, CLOSING);
    const end = this.#waiting.length - kept;
    parted.thought += this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    return false;
  }

  /** Returns whether anything was read. */
  #readText(parted: Parted, isEnd: boolean): boolean {
    const token = nextToken(this.#waiting);
    const plain = token === undefined ? this.#waiting.length : token.index;
    if (plain > 0) {
      this.#show(parted, this.#waiting.slice(0, plain));
      this.#waiting = this.#waiting.slice(plain);
      return true;
    }
    if (token === undefined) return false;
    // More of the token may come.
    if (!isEnd && token.isOpen) return false;
    if (token.text === OPENING && this.#place.kind === "text") {
      const isSure = this.#beginsLine;
      this.#place = { kind: "thought", isSure };
      this.#waiting = this.#waiting.slice(isSure ? OPENING.length : 0);
      return true;
    }
    if (isFence(token.text)) this.#turnAt(token.text);
    this.#show(parted, token.text);
    this.#waiting = this.#waiting.slice(token.text.length);
    return true;
  }

  /** Enters or leaves code at a run of backticks or tildes. */
  #turnAt(run: string): void {
    const place = this.#place;
    if (place.kind === "block") {
      const closes = this.#beginsLine && run.startsWith(place.fence);
      if (closes) this.#place = { kind: "text" };
    } else if (place.kind === "span") {
      if (run.length === place.ticks) this.#place = { kind: "text" };
    } else if (run.length >= 3 && this.#beginsLine) this.#place = { kind: "block", fence: run };
    else if (run.startsWith("`")) this.#place = { kind: "span", ticks: run.length };
  }

  #show(parted: Parted, text: string): void {
    const shown = this.#isEmpty && this.#hasThought ? text.trimStart() : text;
    parted.text += shown;
    if (shown.trim() !== "") this.#isEmpty = false;
    const line = text.slice(text.lastIndexOf("\n") + 1);
    const isNewLine = line.length < text.length;
    this.#beginsLine = (isNewLine || this.#beginsLine) && line.trim() === "";
    // A code span ends with its line at the latest: a lone backtick opens nothing.
    if (isNewLine && this.#place.kind === "span") this.#place = { kind: "text" };
  }
}

interface Token {
  index: number;
  text: string;
  /** Whether it reaches the end of what has arrived, so that it may go on. */
  isOpen: boolean;
}

/** The next tag, or run of backticks or tildes; or the beginning of one at the end. */
const TOKEN = /<think>|`+|~{3,}|(?:<(?:t(?:h(?:i(?:nk?)?)?)?)?|~{1,2})$/u;

function nextToken(text: string): Token | undefined {
  const found = TOKEN.exec(text);
  if (!found) return undefined;
  const [token] = found;
  const isOpen = token !== OPENING && found.index + token.length === text.length;
  return { index: found.index, text: token, isOpen };
}

function isFence(token: string): boolean {
  return token.startsWith("`") || token.startsWith("~~~");
}

/** Most characters at the end of a text with which `word` begins. */
function overlap(text: string, word: string): number {
  for (let length = Math.min(text.length, word.length - 1); length > 0; length -= 1) {
    if (word.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
