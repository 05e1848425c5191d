import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { ConnectionNotices } from "#cli/shell/connection-notices.ts";
import { escapes } from "#cli/shell/escape.ts";
import { ScreenModes } from "#cli/shell/screen-modes.ts";
import { newMachine, type Machine } from "./support/machine.ts";
import { programSession } from "./support/session.ts";
import { startSocketRelay, type SocketRelay } from "./support/socket-relay.ts";
import { CTRL_C, onTerminal, SAME_SETTINGS } from "./support/terminal.ts";

const DOWN = "\u001b[B";

const service = sharedService();
let relay: SocketRelay;
let machine: Machine;
const person = await service.signUp();
const project = (await service.newProject(person.token)).slug;
const session = await programSession(service, person);
beforeEach(async () => {
  relay = await startSocketRelay(service.stack.url);
  machine = await newMachine({ WORKSPACE_URL: relay.url });
  await machine.storeSession(relay.url, session);
});
afterEach(async () => {
  await relay.close();
  await machine.close();
});

/** Opens a shell, and resolves when it takes commands. */
async function open(...args: string[]) {
  const terminal = onTerminal(machine, ["shell", "-p", project, ...args]);
  await terminal.until("~. on a new line leave");
  terminal.type("echo $((40 + 2))-there\r");
  await terminal.until("42-there");
  return terminal;
}

/** Leaves the shell, and resolves to what was shown after that. */
async function leave(terminal: Awaited<ReturnType<typeof open>>): Promise<string> {
  const before = terminal.shown().length;
  terminal.type("\r~.");
  await terminal.over();
  return terminal.shown().slice(before);
}

describe("workspace shell", () => {
  it("joins both terminals, with their size, until the shell ends", async () => {
    const terminal = await open();
    expect(relay.sent.map((each) => JSON.parse(each))).toContainEqual({
      type: "resize",
      cols: 100,
      rows: 30,
    });
    terminal.resize(121, 41);
    await vi.waitFor(() =>
      expect(relay.sent.map((each) => JSON.parse(each))).toContainEqual({
        type: "resize",
        cols: 121,
        rows: 41,
      }),
    );
    terminal.type("exit\r");
    const shown = await terminal.over();
    expect(shown).toMatch(/The shell has ended with 0[^]*code 0\r\n/u);
    expect(shown).toContain(SAME_SETTINGS);
    expect(shown).not.toContain(session.accessToken);
  });

  it("passes a full-screen program's output on, and undoes what it has left", async () => {
    const terminal = await open();
    terminal.type(String.raw`printf '\033[?1049h\033[?25l\033[?1000;1006h''FULL'` + "\r");
    await terminal.until("\u001b[?1049h\u001b[?25l\u001b[?1000;1006hFULL");
    const after = await leave(terminal);
    for (const undone of ["\u001b[?1049l", "\u001b[?25h", "\u001b[?1000l", "\u001b[?1006l"]) {
      expect(after).toContain(undone);
    }
    expect(after).toContain("code 0");
  });

  it("goes on after a lost connection with all output once, and tells of it on lines of their own", async () => {
    const terminal = await open();
    terminal.type("x=7; echo before-$x\r");
    await terminal.until("before-7");
    relay.refuse();
    await terminal.until("The connection is lost");
    relay.accept();
    const shown = await terminal.until("The connection is back");
    expect(stripVTControlCharacters(shown)).toMatch(
      /\nThe connection is lost[^\n]*\nThe connection is back/u,
    );
    terminal.type("echo after-$x\r");
    expect((await terminal.until("after-7")).split("before-7")).toHaveLength(2);
    terminal.kill("SIGTERM");
    expect(await terminal.over()).toContain("code 143");
    expect(terminal.shown()).toContain(SAME_SETTINGS);
  });

  it("can be left while there is no connection, and come back to", async () => {
    const first = await open();
    first.type("x=9\r");
    const left = await leave(first);
    const id = /--session (\S+?)`/u.exec(left)?.[1] ?? "";
    const second = await open("--session", id);
    second.type("echo still-$x\r");
    await second.until("still-9");
    relay.refuse();
    expect(await leave(second)).toContain(SAME_SETTINGS);
  });

  it("restores the terminal when the service refuses the shell, or never answers", async () => {
    const refused = onTerminal(machine, ["shell", "-p", project, "--target", "ctr:none"]);
    expect(await refused.over()).toMatch(/Error:[^]*code [1-7]\r\n/u);
    relay.refuse();
    const alone = onTerminal(machine, ["shell", "-p", project]);
    await alone.until("~. on a new line leave");
    alone.type(CTRL_C);
    expect(await alone.over()).toContain("code 130");
    expect(alone.shown()).toContain(SAME_SETTINGS);
  });

  describe("where there are several places", () => {
    let site: string;
    beforeAll(async () => {
      const { id, slug } = await newRunningSite(service, person.token, { "api/a.txt": "a" });
      const json = { name: "api", project_id: id, directory: "api" };
      await service.call("POST", `/api/projects/${id}/containers`, { token: person.token, json });
      site = slug;
    });

    it("opens in the one that the person chooses", async () => {
      const terminal = onTerminal(machine, ["shell", "-p", site]);
      await terminal.until(/Where\?[^]*web[^]*api/u);
      const { body } = await service.call<{ targets: { name: string }[] }>(
        "GET",
        `/api/terminal/${site}/targets`,
        { token: person.token },
      );
      const at = body.targets.findIndex(({ name }) => name === "api");
      terminal.type(`${DOWN.repeat(at)}\r`);
      await terminal.until("~. on a new line leave");
      terminal.type("pwd\r");
      await terminal.until("/app/api");
      expect(await leave(terminal)).toContain(SAME_SETTINGS);
    });
  });

  it("is refused without a terminal", async () => {
    const ran = await machine.run(["shell", "-p", project]);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("needs a terminal") });
    expect(relay.count).toBe(0);
  });
});

/** Notices, and what they have told. */
const newNotices = () => {
  const told: string[] = [];
  const screen = { isFull: false };
  const notices = new ConnectionNotices(
    (words) => told.push(words),
    () => screen.isFull,
  );
  return { told, screen, notices };
};

describe("notices of the connection", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("come for a loss that lasts, once, and for its end", () => {
    const { told, notices } = newNotices();
    notices.take(true);
    notices.take(false);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([expect.stringContaining("lost")]);
    notices.take(true);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([expect.stringContaining("lost"), expect.stringContaining("back")]);
  });

  it("do not come for a short loss, nor for one of a shell that was left", () => {
    const { told, notices } = newNotices();
    notices.take(false);
    vi.advanceTimersByTime(500);
    notices.take(true);
    notices.take(false);
    notices.close();
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });

  it("do not come while a program has the screen", () => {
    const { told, screen, notices } = newNotices();
    screen.isFull = true;
    notices.take(false);
    vi.advanceTimersByTime(60_000);
    notices.take(true);
    expect(told).toEqual([]);
  });
});

describe("the escape of a shell", () => {
  it.each([
    [["~."], "", true],
    [["ls\r~", "."], "ls\r", true],
    [["a~."], "a~.", false],
    [["~~."], "~.", false],
  ])("of %j", (pieces, input, isLeft) => {
    const typed = escapes();
    const all = pieces.map((piece) => typed(piece));
    expect([all.map((each) => each.input).join(""), all.at(-1)?.isLeft]).toEqual([input, isLeft]);
  });
});

/** What undoes these pieces of output. */
const undone = (...pieces: string[]) => {
  const modes = new ScreenModes();
  for (const piece of pieces) modes.take(piece);
  return modes.undo().replaceAll("\u001b", "ESC");
};

describe("what a shell's output has changed", () => {
  it.each([
    ["\u001b[?1049h", true],
    ["\u001b[?47h", true],
    ["\u001b[?1049h\u001b[?1049l", false],
    ["\u001b[?25l", false],
  ])("is the alternate screen after %j: %s", (output, isFullScreen) => {
    const modes = new ScreenModes();
    modes.take(output);
    expect(modes.isFullScreen).toBe(isFullScreen);
  });

  it.each([
    ["nothing", "plain \u001b[31mred\u001b[2J", "ESC[0m"],
    ["modes", "\u001b[?1049h\u001b[?25l\u001b[?1000;2004h", "ESC[?1049lESC[?25hESC[?1000lESC[?2004lESC[0m"],
    ["what it has undone itself", "\u001b[?1049h\u001b[?25l\u001b[?25h\u001b[?1049l\u001b=\u001b>", "ESC[0m"],
    ["keys", "\u001b=\u001b[>4;2m", "ESC>ESC[>4;0mESC[0m"],
  ])("is %s, wherever its output is cut", (_, output, expected) => {
    for (let cut = 0; cut <= output.length; cut += 1) {
      expect(undone(output.slice(0, cut), output.slice(cut))).toBe(expected);
    }
    expect(undone(...output.split(""))).toBe(expected);
  });
});
