import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { vi } from "vitest";
import { z } from "zod";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The browser of this machine: CHROMIUM_PATH, else the first of the usual names; `undefined` where there is none. */
export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? NAMES.flatMap(findProgram)[0];

function findProgram(name: string): string[] {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).filter(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One tab, with cookies of its own. */
export interface Tab {
  go(url: string): Promise<void>;
  /** The value of a JavaScript expression in the page, promises awaited. */
  read(expression: string): Promise<unknown>;
  /** Wait until an expression is true, over reloads. */
  until(expression: string): Promise<void>;
  /** Write into a field as a person does. */
  type(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Lose a cookie, as when its time is over. */
  forgetCookie(name: string): Promise<void>;
  /** What the page complained about: errors, and what its policy forbade. */
  complaints: string[];
}

const Message = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  sessionId: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

type Parameters = Readonly<Record<string, unknown>>;

/**
 * Start a browser without a window. Speaks the DevTools protocol over its pipes.
 * Source: chromedevtools.github.io/devtools-protocol, and `--remote-debugging-pipe`: JSON, each message ends with a NUL.
 */
export async function startChromium(program: string) {
  const profile = mkdtempSync(path.join(tmpdir(), "workspace-chromium-"));
  const child = spawn(
    program,
    [
      "--headless=new",
      "--no-sandbox",
      "--remote-debugging-pipe",
      "--no-first-run",
      `--user-data-dir=${profile}`,
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const [, , , commands, answers] = child.stdio;
  if (!(commands instanceof Writable && answers instanceof Readable))
    throw new Error(`${program} has no pipes`);
  const { send, listen } = speak(commands, answers);
  const exited = once(child, "exit");

  return {
    async newTab(): Promise<Tab> {
      const { browserContextId } = await send(
        z.object({ browserContextId: z.string() }),
        "Target.createBrowserContext",
      );
      const { targetId } = await send(z.object({ targetId: z.string() }), "Target.createTarget", {
        url: "about:blank",
        browserContextId,
        // Without a window, whose own parts are pages to start and to draw, too.
        hidden: true,
      });
      const { sessionId } = await send(z.object({ sessionId: z.string() }), "Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      return tabOf(
        (schema, method, parameters) => send(schema, method, parameters, sessionId),
        listen(sessionId),
      );
    },
    async close() {
      child.kill("SIGKILL");
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Send = <T extends z.ZodType>(schema: T, method: string, parameters?: Parameters) => Promise<z.output<T>>;

function speak(commands: Writable, answers: Readable) {
  const waiting = new Map<number, (message: z.output<typeof Message>) => void>();
  const listeners = new Map<string, (method: string, parameters: unknown) => void>();
  let rest = "";
  let lastId = 0;
  answers.setEncoding("utf8");
  answers.on("data", (chunk: string) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop() ?? "";
    for (const text of messages) {
      const message = Message.parse(JSON.parse(text));
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      else listeners.get(message.sessionId ?? "")?.(message.method ?? "", message.params);
    }
  });
  return {
    send: async <T extends z.ZodType>(
      schema: T,
      method: string,
      parameters: Parameters = {},
      sessionId?: string,
    ) => {
      const id = (lastId += 1);
      const answered = new Promise<z.output<typeof Message>>((resolve) => waiting.set(id, resolve));
      commands.write(`${JSON.stringify({ id, method, params: parameters, sessionId })}\0`);
      const { result, error } = await answered;
      waiting.delete(id);
      if (error) throw new Error(`${method}: ${error.message}`);
      return schema.parse(result);
    },
    listen: (sessionId: string) => (listener: (method: string, parameters: unknown) => void) =>
      void listeners.set(sessionId, listener),
  };
}

const Evaluated = z.object({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z.looseObject({ text: z.string() }).optional(),
});
const LogEntry = z.looseObject({ entry: z.looseObject({ level: z.string(), text: z.string() }) });
const Exception = z.looseObject({
  exceptionDetails: z.looseObject({ exception: z.looseObject({ description: z.string() }).optional() }),
});

const found = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;
/** There, to be seen, and not switched off. */
const usable = (selector: string) =>
  `(${found(selector)}?.checkVisibility() && !${found(selector)}.disabled) ?? false`;

async function tabOf(
  send: Send,
  listen: (listener: (method: string, parameters: unknown) => void) => void,
): Promise<Tab> {
  const complaints: string[] = [];
  listen((method, parameters) => {
    if (method === "Runtime.exceptionThrown") {
      const { exceptionDetails } = Exception.parse(parameters);
      complaints.push(exceptionDetails.exception?.description ?? "an exception");
    }
    if (method !== "Log.entryAdded") return;
    const { entry } = LogEntry.parse(parameters);
    // The browser notes every refusal as an error; a page that shows it has done its work.
    if (entry.level === "error" && !entry.text.startsWith("Failed to load resource"))
      complaints.push(entry.text);
  });
  for (const domain of ["Page", "Runtime", "Log"]) await send(z.unknown(), `${domain}.enable`);

  async function read(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await send(Evaluated, "Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value;
  }

  async function until(expression: string): Promise<void> {
    // In the middle of a navigation there is no page to ask.
    await vi.waitUntil(() => read(expression).catch(() => false), { timeout: 15_000, interval: 50 });
  }

  return {
    complaints,
    read,
    until,
    async go(url) {
      await send(z.unknown(), "Page.navigate", { url });
      await until(`document.readyState === "complete" && location.href !== "about:blank"`);
    },
    async type(selector, text) {
      await until(usable(selector));
      await read(`${found(selector)}.focus(); ${found(selector)}.select()`);
      await send(z.unknown(), "Input.insertText", { text });
    },
    async click(selector) {
      await until(usable(selector));
      await read(`${found(selector)}.click()`);
    },
    async forgetCookie(name) {
      await send(z.unknown(), "Network.deleteCookies", { name, url: await read("location.href") });
    },
  };
}
