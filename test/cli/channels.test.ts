import { afterAll, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { codeIn, newTelegramChannel } from "#test/support/telegram-channel.ts";
import { jsonLines } from "./support/machine.ts";
import { Failure, Lines } from "./support/schemas.ts";
import { machineOf } from "./support/session.ts";

const service = sharedService();
const telegram = await newTelegramChannel(service);
const machine = await machineOf(service, telegram.client.account);
afterAll(() => machine.close());

/** A pairing code, as the bot sends it to a person there who writes to it. */
async function newCode(): Promise<string> {
  const { chat } = await telegram.stranger();
  await chat.say("hello");
  return codeIn(chat);
}

const pair = (code: string, ...args: string[]) =>
  machine.run(["channels", "pair", code, "--platform", "telegram", ...args]);

it("a code that the bot sent links the account, once", async () => {
  const code = await newCode();
  const ran = await pair(code, "--json");
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(jsonLines(ran.stdout).map((each) => Lines.paired.parse(each))).toHaveLength(1);
  const listed = await machine.run(["channels", "accounts", "--json"]);
  expect(jsonLines(listed.stdout).map((each) => Lines.linkedAccount.parse(each))).toHaveLength(1);
  const again = await pair(code, "--json");
  expect(again).toMatchObject({ code: expect.toBeOneOf([1, 5]), stdout: "" });
  expect(Failure.parse(JSON.parse(again.stderr)).error.detail).toMatch(/code/iu);
});

it("channels are listed, and take a test message", async () => {
  const listed = await machine.run(["channels", "--json"]);
  const [channel] = jsonLines(listed.stdout).map((each) => Lines.channel.parse(each));
  expect(channel).toMatchObject({ id: telegram.channel.id, channel_type: "telegram" });
  await telegram.paired();
  const sent = await machine.run(["channels", "test", telegram.channel.id]);
  expect(sent).toMatchObject({ code: 0, stdout: "Sent\n" });
  // The bot also tells that the account is linked, at any time.
  const sentTest = async () =>
    (await telegram.messages()).find(({ content }) => content.includes("test message"));
  await expect.poll(sentTest).toMatchObject({ direction: "outbound", status: "delivered" });
});
