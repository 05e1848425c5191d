import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { CASES, type Settings } from "./runtimes/program.ts";
import { RUNTIMES, type Outcomes } from "./runtimes/runtimes.ts";

const service = sharedService();
const folder = mkdtempSync(path.join(tmpdir(), "workspace-runtimes-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function newSettings(): Promise<Settings> {
  const { token } = await service.signUp();
  const project = await service.newProject(token);
  const { key } = await service.newKey(token, project.id);
  const secret = `whsec_${Buffer.from("a secret of the test, 32 bytes !").toString("base64")}`;
  const body = JSON.stringify({ task_id: "t-1", status: "completed" });
  const now = new Date();
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", now, body),
  };
  return {
    url: service.url,
    key,
    accessToken: token,
    project: project.id,
    callback: { body, headers, secret },
  };
}

describe.each(RUNTIMES)("the client in $name", ({ missing, run }) => {
  let outcomes: Promise<Outcomes> | undefined;
  it.skipIf(missing !== undefined).each(Object.keys(CASES))(
    `%s${missing ? ` (skipped: ${missing})` : ""}`,
    async (title) => {
      const mine = (outcomes ??= newSettings().then((settings) =>
        run(settings, mkdtempSync(path.join(folder, "program-"))),
      ));
      expect((await mine)[title]).toBeNull();
    },
  );
});
