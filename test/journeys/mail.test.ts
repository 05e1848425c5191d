import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueMail, type OutgoingMail } from "#src/domain/operations/mail/index.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer({ login: { username: "user", password: "pä:ss wörd" } });
  service = await startService(smtp.variables);
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

/** As a route does it; what follows happens in the service. */
async function queue({ stack }: TestService, to: string): Promise<void> {
  const { QSTASH_URL = "", QSTASH_TOKEN = "", PUBLIC_URL = "", SECRET_KEY = "" } = stack.variables;
  const mail: OutgoingMail = {
    kind: "password-reset",
    to,
    subject: "Reset your password",
    text: "A link",
    html: "<p>A link</p>",
    expiresAt: new Date(Date.now() + 3_600_000),
  };
  const deps = {
    mailer: { configured: true, send: async () => {}, probe: async () => {} },
    queue: createQueue({ url: QSTASH_URL, token: QSTASH_TOKEN, publicUrl: PUBLIC_URL }),
    secrets: createSecrets(SECRET_KEY),
  };
  await queueMail(deps, mail);
}

describe("a mail of the service", () => {
  it("reaches the mail server, which the service logs in to", async () => {
    await queue(service, "ann@people.test");
    expect(await smtp.mailTo("ann@people.test")).toMatchObject({
      from: "sender@service.test",
      user: "user",
      text: expect.stringContaining("A link"),
    });
  });

  it("comes later when the mail server hangs up in between, and the service lives on", async () => {
    smtp.hangUp(1);
    await queue(service, "bob@people.test");
    // The second attempt comes after 5 seconds.
    const mail = smtp.mailTo("bob@people.test");
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
    expect(await mail).toMatchObject({ user: "user" });
    const log = readFileSync(service.stack.logFile, "utf8");
    expect(log).toContain("mail was not delivered");
    expect(log).not.toMatch(/bob|A link|wörd/u);
  });

  it("is shown instead of sent where no mail server is set", async () => {
    const own = await startService();
    try {
      await queue(own, "ann@people.test");
      const caught = async (): Promise<unknown> =>
        (await fetch(`${own.stack.mailUrl}/?to=ann@people.test`)).json();
      await expect.poll(caught).toMatchObject([{ subject: "Reset your password" }]);
    } finally {
      await own.close();
    }
  });
});
