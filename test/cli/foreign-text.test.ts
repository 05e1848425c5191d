import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { jsonLine } from "#cli/output/foreign-text.ts";
import { Output } from "#cli/output/output.ts";
import { bold, red, render } from "#cli/output/styles.ts";
import { visible } from "#sdk/visible.ts";
import { hostileTexts } from "./support/hostile-texts.ts";

/** What a sequence could have changed: everything but the letters on the screen and where the cursor is after them. */
interface State {
  readonly modes: unknown;
  readonly buffer: string;
  readonly titles: number;
  readonly told: string;
  readonly bells: number;
  /** Where plain text goes, and how it looks there, after everything. */
  readonly probe: unknown;
}

const PROBE = "\r\nprobe";

/** A terminal that has been given texts, and each time plain text after them. */
async function stateAfter(...texts: readonly (readonly string[])[]): Promise<State> {
  const terminal = new xterm.Terminal({
    cols: 80,
    rows: 24,
    allowProposedApi: true,
    logLevel: "off",
    scrollback: 1_000,
  });
  let [titles, bells, told] = [0, 0, ""];
  terminal.onTitleChange(() => (titles += 1));
  terminal.onBell(() => (bells += 1));
  // What a terminal tells by itself is read as if it was typed.
  terminal.onData((data) => (told += data));
  for (const piece of texts.flatMap((pieces) => [...pieces, PROBE])) {
    await new Promise<void>((done) => terminal.write(piece, done));
  }
  const { active } = terminal.buffer;
  const line = active.getLine(active.baseY + active.cursorY);
  const cell = line?.getCell(0);
  const state = {
    modes: { ...terminal.modes },
    buffer: active.type,
    titles,
    told,
    bells,
    probe: {
      text: line?.translateToString(true),
      column: active.cursorX,
      colour: [
        cell?.getFgColor(),
        cell?.getBgColor(),
        cell?.isBold(),
        cell?.isInverse(),
        cell?.isInvisible(),
      ],
    },
  };
  terminal.dispose();
  return state;
}

/** As a program prints it: in two pieces, cut at a place. */
function printed(text: string, cut: number): string[] {
  const pieces = [text.slice(0, cut), text.slice(cut)];
  const written: string[] = [];
  const stream = {
    isTTY: true,
    write: (piece: string | Uint8Array) => {
      written.push(String(piece).replaceAll("\n", "\r\n"));
      return true;
    },
    once: () => undefined,
  };
  const output = new Output({ json: false, stdout: stream, stderr: stream, environment: {} });
  for (const piece of pieces) output.printPart(piece);
  return written;
}

describe("foreign text", () => {
  const texts = hostileTexts();

  it("is obeyed by no terminal, whole and cut in two, as it would be if it was not made visible", async () => {
    expect(new Set(texts).size).toBeGreaterThanOrEqual(300);
    const untouched = await stateAfter([]);
    const isObeyed = async (text: string) =>
      JSON.stringify(await stateAfter([text])) !== JSON.stringify(untouched);
    const obeyed: string[] = [];
    for (const text of texts) if (await isObeyed(text)) obeyed.push(text);
    expect(obeyed.length).toBeGreaterThan(100);
    for (const text of obeyed) {
      const cuts = [0, 1, Math.floor(text.length / 2)];
      const state = await stateAfter(...cuts.map((cut) => printed(text, cut)));
      expect({ text, ...state }).toEqual({ text, ...untouched });
    }
  });

  it("has no character left that a terminal obeys or hides", () => {
    const obeyed = /[^\P{Cc}\n\t]|[\u200B\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
    for (const text of texts) expect(visible(text)).not.toMatch(obeyed);
  });

  it.each([
    ["\u001b[2J", "␛[2J"],
    ["\u009b31m", "\\u{009B}31m"],
    ["admin\u202egpj.exe", "admin\\u{202E}gpj.exe"],
    ["goo\u200dgle", "goo\\u{200D}gle"],
    ["a\r\nb\tc\rd", "a\nb\tc␍d"],
    ["👩‍💻 नमस्‍ते", "👩‍💻 नमस्‍ते"],
    ["half \ud83d", "half \\u{D83D}"],
  ])("shows %j as %j", (text, shown) => expect(visible(text)).toBe(shown));

  it("obeys its own styles alone", () => {
    expect(render([red("\u001b[1m"), "\u001b[2J", bold("b")], true)).toBe(
      "\u001b[31m␛[1m\u001b[39m␛[2J\u001b[1mb\u001b[22m",
    );
    expect(render([red("a"), "b"], false)).toBe("ab");
  });

  it("keeps the value of a line of JSON, and hides nothing in it", () => {
    for (const text of texts) {
      const line = jsonLine({ text });
      expect(JSON.parse(line)).toEqual({ text });
      expect(visible(line)).toBe(line);
    }
  });
});
