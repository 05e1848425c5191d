import type { Page } from "@playwright/test";
import { beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { failedMessage } from "#test/support/channels.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { codeIn } from "#test/support/telegram-channel.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();
const HOSTILE = "<img src=x onerror=alert(1)>";

async function connect(page: Page, token: string): Promise<void> {
  await page.getByLabel("Channel name").fill(HOSTILE);
  await page.getByRole("main").getByLabel("Project").selectOption({ label: HOSTILE });
  await page.getByLabel("Bot token").fill(token);
  await page.getByRole("button", { name: "Connect" }).click();
}

describeConsole("a channel", () => {
  let account: Account;
  beforeAll(async () => {
    account = await service.signUp();
    await service.newProject(account.token, HOSTILE);
  });
  it("is connected by a guided form, and a person there is linked by a code", async () => {
    const { page } = await openPage(service, { account, path: "/channels" });
    await page.getByRole("link", { name: "New channel" }).click();
    await page.getByRole("link", { name: "Telegram" }).click();
    await expectPage(page.getByText("Send /newbot")).toBeVisible();
    const platform = new ChatPlatform(service.stack.chatPlatformUrl ?? "");
    const token = `standin:${crypto.randomUUID()}`;
    await connect(page, token);
    await expectPage(page.getByRole("heading", { name: HOSTILE })).toBeVisible();
    await expectPage(page.getByText("send it /start")).toBeVisible();
    await expectPage(page.locator("main")).not.toContainText(token);

    await expectPage(page).toHaveURL(/\/channels\/[\da-f-]{36}$/u);
    const [channelId = ""] = new URL(page.url()).pathname.split("/").slice(-1);
    const { body } = await service.call<{ bot_name: string }>("GET", `/api/channels/${channelId}`, account);
    const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
    const botId = bots.find(({ username }) => username === body.bot_name)?.id ?? 0;
    const { id } = await platform.person("Ada");
    const chat = platform.chat(botId, id, id);
    await chat.say("hello");
    const code = await codeIn(chat);

    await page.getByRole("link", { name: "Linked accounts" }).click();
    await page.getByLabel("Code").fill("WRONG234");
    await page.getByRole("button", { name: "Continue" }).click();
    await expectPage(page.getByRole("alert")).toBeVisible();
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
    await expectPage(page.getByText(`This bot belongs to ${account.username}`)).toBeVisible();
    await page.getByRole("button", { name: "Link account" }).click();
    await expectPage(page.getByText("Your account at Telegram is linked.")).toBeVisible();
    await expectPage(page.getByRole("button", { name: /^Unlink/u })).toHaveCount(1);

    await page.getByRole("main").getByRole("link", { name: HOSTILE }).click();
    await page.getByRole("button", { name: "Send test message" }).click();
    await expectPage(page.getByText("Sent. Check your chat")).toBeVisible();
    await expectPage(page.getByRole("region", { name: "Messages" })).toContainText(
      `test message of the channel “${HOSTILE}”`,
    );
    await expectAccessible(page);
  });

  it("shows why a message failed, tries it again, takes another address, and is changed and deleted", async () => {
    const credentials = { access_token: "a", phone_number_id: "1", app_secret: "s", verify_token: "word" };
    const made = await service.call<{ id: string }>("POST", "/api/channels", {
      token: account.token,
      json: { channel_type: "whatsapp", credentials },
    });
    await failedMessage(service, made.body.id);
    const { page } = await openPage(service, {
      account,
      width: 390,
      scheme: "dark",
      path: `/channels/${made.body.id}`,
    });
    await expectPage(page.getByText("Failed: The bot was blocked.")).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await expectPage(page.getByText("Failed: The bot was blocked.")).toHaveCount(0);

    // Its former address is refused then.
    const address = page.locator("code.breaking");
    const statusOf = async (url: string) => {
      // It holds a secret; this is how the platform looks at it.
      const { pathname, searchParams } = new URL(url);
      searchParams.set("hub.mode", "subscribe");
      searchParams.set("hub.verify_token", "word");
      searchParams.set("hub.challenge", "1");
      return (await service.call("GET", `${pathname}?${searchParams.toString()}`)).status;
    };
    const former = await address.innerText();
    expect(await statusOf(former)).toBe(200);
    await page.getByRole("button", { name: "New webhook URL…" }).click();
    await page.getByRole("button", { name: "Create new URL", exact: true }).click();
    await expectPage(address).not.toHaveText(former);
    expect(await statusOf(former)).not.toBe(200);
    expect(await statusOf(await address.innerText())).toBe(200);

    await page.getByText("Settings", { exact: true }).click();
    await page.getByLabel("Channel name").fill("Garden");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByRole("heading", { name: "Garden", exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Disconnect channel…" }).click();
    await page.getByRole("button", { name: "Disconnect", exact: true }).click();
    await expectPage(page.getByRole("button", { name: "Reconnect" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Channels" }).click();
    await expectPage(page.getByText("Disconnected")).toBeVisible();
  });
});
