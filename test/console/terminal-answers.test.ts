import { Terminal } from "@xterm/headless";
import { expect, it } from "vitest";
import { hostileTexts } from "#test/cli/support/hostile-texts.ts";

it("no program has the console's terminal type words of its own, or a line", async () => {
  const asking = [
    "\u001bP$qevil\n\u001b\\",
    "\u001b]4;1;?\u0007",
    "\u001b]52;c;?\u0007",
    "\u001b]0;evil\u0007\u001b[21t",
  ];
  const terminal = new Terminal({ logLevel: "off" });
  let typed = "";
  // What a terminal tells by itself is read by the shell as if it was typed.
  terminal.onData((data) => (typed += data));
  for (const text of [...hostileTexts(), ...asking]) {
    await new Promise<void>((done) => terminal.write(`${text}\u0018\u001b\\`, done));
  }
  terminal.dispose();
  expect(typed).not.toBe("");
  expect(typed).not.toMatch(/evil|[\r\n]/u);
});
