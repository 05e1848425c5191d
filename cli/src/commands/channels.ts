import { command, group } from "../command.ts";
import { openAsPerson } from "../service.ts";

const PLATFORMS = ["telegram", "discord", "slack", "whatsapp", "signal", "cli"] as const;

const list = command("list", {
  description: "List your messaging channels",
  async run(context) {
    const { workspace } = await openAsPerson(context, "A list of channels");
    context.output.list(
      await workspace.request("GET", "/api/channels"),
      [
        { title: "id", text: ({ id }) => id },
        { title: "platform", text: ({ channel_type }) => channel_type },
        { title: "name", text: ({ name }) => name },
        { title: "connected", text: ({ connected }) => connected },
        { title: "last error", text: ({ last_error }) => last_error },
      ],
      "You have no channels.",
    );
  },
});

const pair = command("pair", {
  description: "Link your account of a platform, with the code that the bot sent you there",
  args: {
    code: { type: "positional", description: "The code" },
    platform: { type: "enum", options: [...PLATFORMS], required: true, description: "Where the bot sent it" },
  },
  async run(context, args) {
    const { workspace } = await openAsPerson(context, "Pairing");
    const paired = await workspace.request("POST", "/api/gateway/pair/verify", {
      body: { platform: args.platform, pairing_code: args.code },
    });
    context.output.show(paired, `Your ${paired.platform} account is linked`);
  },
});

const accounts = command("accounts", {
  description: "List your linked platform accounts",
  async run(context) {
    const { workspace } = await openAsPerson(context, "A list of accounts");
    context.output.list(
      await workspace.request("GET", "/api/gateway/identities"),
      [
        { title: "id", text: ({ id }) => id },
        { title: "platform", text: ({ platform }) => platform },
        {
          title: "name",
          text: ({ platform_username, platform_user_id }) => platform_username ?? platform_user_id,
        },
        { title: "since", text: ({ paired_at }) => paired_at },
      ],
      "No account is linked.",
    );
  },
});

const test = command("test", {
  description: "Send a test message",
  args: {
    channel: { type: "positional", description: "Id of the channel" },
    to: {
      type: "string",
      default: "self",
      description: "Chat at the platform, as telegram:1234; self is your linked account",
    },
  },
  async run(context, { channel, to }) {
    const { workspace } = await openAsPerson(context, "A test message");
    const sent = await workspace.request("POST", "/api/channels/{channel}/test", {
      path: { channel },
      body: { jid: to },
    });
    context.output.show(sent, "Sent");
  },
});

const remove = command("delete", {
  description: "Delete a channel",
  args: {
    channel: { type: "positional", description: "Id of the channel" },
    yes: { type: "boolean", alias: "y", description: "Do not ask" },
  },
  async run(context, { channel, yes }) {
    const { workspace } = await openAsPerson(context, "Deleting");
    await context.input.confirm(`Delete ${channel}?`, { yes: yes === true });
    await workspace.request("DELETE", "/api/channels/{channel}", { path: { channel } });
    context.output.show({ deleted: channel }, `Deleted ${channel}`);
  },
});

export const channels = group(
  "channels",
  "Messaging channels, and linked accounts of platforms",
  { list, pair, accounts, test, delete: remove },
  "list",
);
