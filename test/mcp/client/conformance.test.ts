import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { HANGS_MS } from "#test/support/hangs.ts";
import { startJudgedClient } from "./support/judged-client.ts";

const folder = mkdtempSync(path.join(tmpdir(), "conformance-"));
const client = await startJudgedClient();
afterAll(() => {
  client.close();
  rmSync(folder, { recursive: true });
});

const BRIDGE = path.join(import.meta.dirname, "support/bridge.ts");

/** The scenarios of a revision by whether the client has passed them. */
async function outcomes(revision: string): Promise<{ passed: string[]; failed: string[] }> {
  const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
  const command = `${process.execPath} ${BRIDGE} ${client.address}`;
  // By itself the suite gives each scenario half a minute, which a busy machine may need.
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
    // It fails with any scenario.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const names = (mark: string) =>
    Array.from(report.matchAll(new RegExp(`^${mark} (\\S+): `, "gmu")), ([, name = ""]) => name).toSorted();
  return { passed: names("✓"), failed: names("✗") };
}

/** What was added to the suite after the revision, and judges how a client shows schemas. */
const LATER = "json-schema-2020-12-preservation";

/** Extensions that no revision requires: sign-in without a person, and tokens that are bound to a key. */
const EXTENSIONS = [
  "auth/client-credentials-basic",
  "auth/client-credentials-jwt",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/enterprise-managed-authorization",
  "auth/wif-jwt-bearer",
];

/** Sign-in by OAuth, of both revisions. */
const SIGN_IN = [
  "auth/basic-cimd",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/pre-registration",
  "auth/scope-from-scopes-supported",
  "auth/scope-from-www-authenticate",
  "auth/scope-omitted-when-undefined",
  "auth/scope-retry-limit",
  "auth/scope-step-up",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-none",
  "auth/token-endpoint-auth-post",
];

it("passes what 2026-07-28 requires of a client", async () => {
  const { passed, failed } = await outcomes("2026-07-28");
  const expected = [
    ...SIGN_IN,
    "auth/authorization-server-migration",
    "auth/iss-normalized",
    "auth/iss-not-advertised",
    "auth/iss-supported",
    "auth/iss-supported-missing",
    "auth/iss-unexpected",
    "auth/iss-wrong-issuer",
    "auth/metadata-issuer-mismatch",
    "auth/offline-access-not-supported",
    "auth/offline-access-scope",
    "auth/resource-mismatch",
    "tools_call",
    "request-metadata",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "sep-2322-client-request-state",
  ];
  expect(passed).toEqual(expected.toSorted());
  expect(failed).toEqual([...EXTENSIONS, LATER].toSorted());
});

it("passes what 2025-11-25 requires of a client", async () => {
  const { passed, failed } = await outcomes("2025-11-25");
  expect(passed).toEqual(
    [...SIGN_IN, "elicitation-sep1034-client-defaults", "initialize", "tools_call", "sse-retry"].toSorted(),
  );
  expect(failed).toEqual([...EXTENSIONS, LATER].toSorted());
});
