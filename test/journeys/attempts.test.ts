import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { newChannelRow, pairingCode } from "#test/support/channels.ts";
import { startService, type TestService } from "#test/support/service.ts";

const PER_ACCOUNT = 5;
const PER_ADDRESS = 30;

let service: TestService;
/** A service of its own where the address is counted: other tests would use it up. */
let small: TestService;
beforeAll(async () => {
  [service, small] = await Promise.all([
    startService({ AUTH_ATTEMPTS_PER_ACCOUNT: String(PER_ACCOUNT), AUTH_ATTEMPTS_PER_ADDRESS: "0" }),
    startService({ AUTH_ATTEMPTS_PER_ACCOUNT: "0", AUTH_ATTEMPTS_PER_ADDRESS: String(PER_ADDRESS) }),
  ]);
});
afterAll(async () => {
  await Promise.all([service.close(), small.close()]);
});

type Answer = ApiAnswer<unknown>;

const attempt = (at: TestService, username: string, password: string, headers = {}) =>
  at.call("POST", "/api/auth/login", { json: { username, password }, headers });

/** How many answers had each status. */
const tally = (answers: Answer[]) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))].map((status) => [
      status,
      answers.filter((each) => each.status === status).length,
    ]),
  );

const many = (count: number, ask: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

describe("wrong passwords for one account", () => {
  it("are tried as often as the limit says, of 50 at once, and then wait", async () => {
    const { username, email } = await service.signUp();
    const answers = await many(50, (index) => attempt(service, index % 2 ? username : email, "wrong horse"));
    expect(tally(answers)).toEqual({ 400: PER_ACCOUNT, 429: 50 - PER_ACCOUNT });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ detail: expect.stringMatching(/^Too many attempts/u) });
    const header = (name: string) => Number(refused?.headers.get(name));
    expect([header("x-ratelimit-limit"), header("x-ratelimit-remaining")]).toEqual([PER_ACCOUNT, 0]);
    expect(header("retry-after")).toBeGreaterThan(60);
    expect(header("retry-after")).toBeLessThanOrEqual(900);
    expect(header("x-ratelimit-reset")).toBeGreaterThanOrEqual(header("retry-after"));
  });

  it("close it to the right one too, and to no other account", async () => {
    const [account, other] = [await service.signUp(), await service.signUp()];
    await many(PER_ACCOUNT, () => attempt(service, account.username, "wrong horse"));
    expect((await attempt(service, account.username, account.password)).status).toBe(429);
    expect((await attempt(service, other.username, other.password)).status).toBe(200);
  });

  it("look the same where there is no account", async () => {
    const answers = await many(PER_ACCOUNT + 3, () => attempt(service, "nobody-at-all", "wrong horse"));
    expect(tally(answers)).toEqual({ 400: PER_ACCOUNT, 429: 3 });
  });
});

describe("the right password", () => {
  it("is not counted", async () => {
    const { username, password } = await service.signUp();
    for (let time = 0; time < PER_ACCOUNT * 2; time += 1) {
      expect((await attempt(service, username, password)).status).toBe(200);
    }
  });
});

describe("wrong pairing codes of a messaging platform", () => {
  it("are tried five times, of 20 at once, and then the right one has to wait, for that account alone", async () => {
    const [account, other] = [await service.signUp(), await service.signUp()];
    const code = await pairingCode(service, await newChannelRow(service, account.id));
    const verify = ({ token }: typeof account, pairing_code: string) =>
      service.call("POST", "/api/gateway/pair/verify", {
        token,
        json: { platform: "telegram", pairing_code },
      });
    const answers = await many(20, () => verify(account, "AAAAAAAA"));
    expect(tally(answers)).toEqual({ 404: 5, 429: 15 });
    const missed = answers.find(({ status }) => status === 404);
    expect(missed?.body).toEqual({ detail: "Invalid or expired pairing code" });
    expect((await verify(account, code)).status).toBe(429);
    expect((await verify(other, code)).status).toBe(200);
  });
});

const exchange = () =>
  small.call("POST", "/api/desktop/pair/exchange", { json: { token: "garbage", device_name: "x" } });
const reset = () =>
  small.call("POST", "/api/auth/reset-password", { json: { token: "garbage", password: "long enough" } });
const verify = () =>
  small.call("POST", "/api/auth/2fa/verify", { json: { temp_token: "garbage", code: "000000" } });

describe("one address", () => {
  it("is counted over all accounts, whatever it says of where it comes from", async () => {
    const answers = await many(PER_ADDRESS + 10, (index) =>
      attempt(small, `nobody-${index}`, "wrong horse", {
        "x-forwarded-for": `198.51.100.${index}`,
        "cf-connecting-ip": `198.51.100.${index}`,
        "x-real-ip": `198.51.100.${index}`,
        forwarded: `for=198.51.100.${index}`,
      }),
    );
    expect(tally(answers)).toEqual({ 400: PER_ADDRESS, 429: 10 });
  });

  it("is counted for each kind of secret on its own", async () => {
    expect(tally(await many(PER_ADDRESS + 5, exchange))).toEqual({ 401: PER_ADDRESS, 429: 5 });
    expect(tally(await many(PER_ADDRESS + 5, reset))).toEqual({ 400: PER_ADDRESS, 429: 5 });
    expect(tally(await many(PER_ADDRESS + 5, verify))).toEqual({ 401: PER_ADDRESS, 429: 5 });
  });
});
