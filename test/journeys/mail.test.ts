import { readFile } from "node:fs/promises";
import { afterAll, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService } from "#test/support/service.ts";
import { startSmtpServer } from "#test/support/smtp-server.ts";

const smtp = await startSmtpServer({ login: { username: "user", password: "pä:ss wörd" } });
const service = await startService({ TWO_FA_ENABLED: "true", ...smtp.variables });
afterAll(async () => {
  await service.close();
  await smtp.close();
});

interface LoginObject {
  temp_token: string | null;
  detail?: string;
}

const post = <T = unknown>(path: string, json: unknown) => service.call<T>("POST", path, { json });

const confirmations = ({ email }: Account) => inbox(smtp, email, /Confirm your email address/u);

it("a mail reaches the mail server that the service logs in to, later where that hung up in between", async () => {
  const ann = await service.signUp();
  expect(await confirmations(ann).next()).toMatchObject({
    from: "sender@service.test",
    user: "user",
    text: expect.stringContaining(`${service.url}/verify-email?token=`),
  });
  smtp.hangUp(1);
  const bob = await service.signUp();
  // The second attempt comes after 5 seconds.
  const { token } = await confirmations(bob).link();
  expect((await post("/api/auth/verify", { token })).status).toBe(200);
});

it("while the mail server is away a login is told; the code comes later and is good, and no secret is logged", async () => {
  const ann = await service.signUp();
  await confirmations(ann).next();
  await smtp.down();
  const login = await post<LoginObject>("/api/auth/login", { email: ann.email, password: ann.password });
  await smtp.up();
  const detail = expect.stringContaining("being retried");
  expect(login).toMatchObject({ status: 503, body: { access_token: null, requires_2fa: true, detail } });
  const code = await inbox(smtp, ann.email, /login code/u).code();
  const { temp_token } = login.body;
  expect((await post("/api/auth/2fa/verify", { temp_token, code })).status).toBe(200);
  const last = await service.call("GET", "/health");
  const log = await vi.waitUntil(async () => {
    const written = await readFile(service.stack.logFile, "utf8");
    return written.includes(last.headers.get("x-request-id") ?? "-") && written;
  });
  expect(log).toContain("mail was not delivered");
  for (const secret of [temp_token ?? "-", ann.email, "wörd"]) expect(log).not.toContain(secret);
  expect(log).not.toMatch(new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`, "u"));
});
