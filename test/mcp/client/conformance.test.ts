import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { HANGS_MS } from "#test/support/hangs.ts";

const folder = mkdtempSync(path.join(tmpdir(), "conformance-"));
afterAll(() => rmSync(folder, { recursive: true }));

const BRIDGE = path.join(import.meta.dirname, "support/bridge.ts");

/** The scenarios of a revision by whether the client has passed them; those of sign-in, which it does not know yet, are left out. */
async function outcomes(revision: string): Promise<{ passed: string[]; failed: string[] }> {
  const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
  const command = `${process.execPath} ${BRIDGE}`;
  // By itself the suite gives each scenario half a minute, which a busy machine may need to start the client.
  const args = [
    suite,
    "client",
    "--command",
    command,
    "--requirements",
    revision,
    "--timeout",
    `${HANGS_MS}`,
  ];
  const report = await new Promise<string>((resolve) => {
    // It fails with any scenario, those of sign-in included.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const names = (mark: string) =>
    Array.from(report.matchAll(new RegExp(`^${mark} (\\S+): `, "gmu")), ([, name = ""]) => name).filter(
      (name) => !name.startsWith("auth/"),
    );
  return { passed: names("✓"), failed: names("✗") };
}

/** What was added to the suite after the revision, and judges how a client shows schemas. */
const LATER = "json-schema-2020-12-preservation";

it("passes what 2026-07-28 requires of a client without sign-in and questions", async () => {
  const { passed, failed } = await outcomes("2026-07-28");
  expect(passed).toEqual([
    "tools_call",
    "request-metadata",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
  ]);
  expect(failed).toEqual(["sep-2322-client-request-state", LATER]);
});

it("passes what 2025-11-25 requires of a client without sign-in and questions", async () => {
  const { passed, failed } = await outcomes("2025-11-25");
  expect(passed).toEqual(["initialize", "tools_call", "sse-retry"]);
  expect(failed).toEqual(["elicitation-sep1034-client-defaults", LATER]);
});
