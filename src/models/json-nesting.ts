const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Follows JSON text as it arrives: how deep it nests, and whether its outermost object or list has closed. */
export class JsonNesting {
  #depth = 0;
  #deepest = 0;
  #inString = false;
  #isEscaped = false;

  push(text: string): void {
    for (let place = 0; place < text.length; place += 1) {
      const code = text.charCodeAt(place);
      if (this.#inString) this.#pushInString(code);
      else if (code === QUOTE) this.#inString = true;
      else if (isOpening(code)) this.#deepest = Math.max(this.#deepest, (this.#depth += 1));
      else if (isClosing(code)) this.#depth -= 1;
    }
  }

  get deepest(): number {
    return this.#deepest;
  }

  get hasClosed(): boolean {
    return this.#deepest > 0 && this.#depth <= 0;
  }

  #pushInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#inString = false;
  }
}

/** `{` and `[`. */
function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

/** `}` and `]`. */
function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
