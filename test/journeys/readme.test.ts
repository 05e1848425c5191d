import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";

const run = promisify(execFile);
let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The tour's shell lines, in order; only the addresses are those of this service. */
async function tour(): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const section = readme.split("## Five minutes with curl")[1]?.split("\n## ")[0] ?? "";
  const blocks = Array.from(section.matchAll(/```sh\n(?<lines>[\s\S]*?)```/gu), (match) => match[1] ?? "");
  expect(blocks).toHaveLength(4);
  return blocks
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", service.url)
    .replaceAll("http://127.0.0.1:8788", service.stack.callbacksUrl ?? "");
}

describe("the README's curl lines", () => {
  it("do the whole job, word for word", async () => {
    // The last look at the callbacks is for a person, who is slower than a script: here it is repeated until one came.
    const script = `set -eu\n${await tour()}\n
      for attempt in $(seq 100); do
        curl -s ${service.stack.callbacksUrl}/tour | grep -q webhook-signature && break
        sleep 0.1
      done
      curl -s ${service.stack.callbacksUrl}/tour`;
    const { stdout } = await run("bash", ["-c", script]);
    expect(stdout).toContain("event: task_started");
    expect(stdout.match(/^event: done$/gmu)).toHaveLength(2);
    expect(stdout).toContain('"status":"completed"');
    expect(stdout).toContain('"content":"Written by the demo model');
    expect(stdout).toContain('"webhook-signature": "v1,');
  });
});
