import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { startService } from "#test/support/service.ts";

const run = promisify(execFile);
// A service of its own: the tour takes the newest bot of the chat platform for its own bot.
const service = await startService();
afterAll(() => service.close());

/** The tour begins in the README and goes on in these pages, whose blocks use its variables. */
const PAGES = ["accounts", "projects", "agent", "messaging", "marketplace"];

/** The tour's shell lines, in order; only the addresses are those of this service. */
async function tour(): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const pages = await Promise.all(PAGES.map((page) => readFile(`docs/${page}.md`, "utf8")));
  const section = readme.split("## Five minutes with curl")[1]?.split("\n## ")[0] ?? "";
  const blocks = [section, ...pages].flatMap((text) =>
    Array.from(text.matchAll(/```sh\n(?<lines>[\s\S]*?)```/gu), (match) => match[1] ?? ""),
  );
  expect(blocks).toHaveLength(11);
  return blocks
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", service.url)
    .replaceAll("http://127.0.0.1:8788", service.stack.callbacksUrl ?? "")
    .replaceAll("http://127.0.0.1:8790", service.stack.stripeUrl ?? "")
    .replaceAll("http://127.0.0.1:8792", service.stack.chatPlatformUrl ?? "");
}

/** The tour keeps its cookies in a file. */
const cwd = mkdtempSync(join(tmpdir(), "workspace-tour-"));
afterAll(() => rmSync(cwd, { recursive: true }));

it("the curl lines of the README and its pages do the whole job, word for word", async () => {
  // The last look at the callbacks is for a person, who is slower than a script: here it is repeated until one came.
  const script = `set -eu\n${await tour()}\n
    for attempt in $(seq 1000); do
      curl -s ${service.stack.callbacksUrl}/tour | grep -q webhook-signature && break
      sleep 0.1
    done
    curl -s ${service.stack.callbacksUrl}/tour`;
  const { stdout } = await run("bash", ["-c", script], { cwd });
  expect(stdout).toContain("event: task_started");
  expect(stdout.match(/^event: done$/gmu)).toHaveLength(2);
  expect(stdout).toContain('"status":"completed"');
  expect(stdout).toContain('"content":"Written by the demo model');
  expect(stdout).toContain('"webhook-signature": "v1,');
  expect(stdout).toContain('"name":"Ada Lovelace"');
  expect(stdout).toContain('"is_current":true');
  expect(stdout).toMatch(/"expires_in":1800,"refresh_token":"/u);
  expect(stdout).toContain('"client_name":"curl on laptop"');
  expect(stdout).toContain("<h1>It lives</h1>");
  expect(stdout).toContain('"message":"Demo, paid once is in your library"');
  expect(stdout).toMatch(/"transactions":\[\{"id":"[^"]*","type":"one_time","amount_cents":500/u);
  expect(stdout).toContain('{"status":"paired","platform":"telegram"}');
  expect(stdout).toContain('"text":"Allowed once."');
  expect(stdout).toContain('"kind":"approval_card"');
  expect(stdout).toContain('"status":"online"');
});
