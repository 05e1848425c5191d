import type { Platform } from "./reads.ts";

/** One value that a platform gives its owner, or that the owner chooses. */
export interface CredentialField {
  readonly name: string;
  readonly label: string;
  /** Where it comes from. */
  readonly hint: string;
  readonly isSecret: boolean;
  readonly isOptional?: boolean;
}

/** How a platform is connected. */
export interface PlatformGuide {
  /** What is done at the platform before the form. */
  readonly steps: readonly string[];
  readonly fields: readonly CredentialField[];
  /** How messages can arrive; the first is the usual way. */
  readonly modes: readonly ("connection" | "webhook")[];
}

const secret = (name: string, label: string, hint: string): CredentialField => ({
  name,
  label,
  hint,
  isSecret: true,
});
const plain = (name: string, label: string, hint: string): CredentialField => ({
  ...secret(name, label, hint),
  isSecret: false,
});

/** What to do at each platform, and what to bring from there. */
export const GUIDES: Readonly<Record<Platform, PlatformGuide>> = {
  telegram: {
    steps: [
      "Open Telegram and write to @BotFather.",
      "Send /newbot and choose a name. BotFather answers with the token of the bot.",
    ],
    fields: [secret("bot_token", "Bot token", "From @BotFather. It looks like 123456:ABC…")],
    modes: ["connection", "webhook"],
  },
  slack: {
    steps: [
      "At api.slack.com/apps make an app from scratch, in your workspace.",
      "Under OAuth & Permissions give the bot the scope chat:write and install the app.",
      "For Socket Mode, which needs no public address, make an app-level token with the scope connections:write.",
    ],
    fields: [
      secret("bot_token", "Bot token", "Under OAuth & Permissions. It begins with xoxb-."),
      secret("signing_secret", "Signing secret", "Under Basic Information, App Credentials."),
      {
        ...secret("app_token", "App-level token", "For Socket Mode alone. It begins with xapp-."),
        isOptional: true,
      },
    ],
    modes: ["webhook", "connection"],
  },
  discord: {
    steps: [
      "In the Developer Portal of Discord make an application, and a bot in it.",
      "Under Bot switch the Message Content intent on.",
    ],
    fields: [
      secret("bot_token", "Bot token", "Under Bot, Reset Token."),
      plain("application_id", "Application ID", "Under General Information."),
      plain("public_key", "Public key", "Under General Information."),
    ],
    modes: ["connection", "webhook"],
  },
  whatsapp: {
    steps: [
      "At developers.facebook.com make an app with the product WhatsApp.",
      "Make a system user with a token that does not expire.",
    ],
    fields: [
      secret("access_token", "Access token", "Of the system user."),
      plain("phone_number_id", "Phone number ID", "Under WhatsApp, API Setup. It is not the number itself."),
      secret("app_secret", "App secret", "Under App settings, Basic."),
      secret("verify_token", "Verify token", "A word of your choice, which you enter at Meta as well."),
    ],
    modes: ["webhook"],
  },
  signal: {
    steps: [
      "Run signal-cli-rest-api in the mode json-rpc, where only this service reaches it.",
      "Register your number with it, or link it to your phone.",
    ],
    fields: [
      plain("signal_cli_url", "Address of signal-cli-rest-api", "Such as http://signal.internal:8080"),
      plain("phone_number", "Phone number", "With its country, such as +4915112345678"),
    ],
    modes: ["connection"],
  },
  cli: {
    steps: [
      "Make a key under API keys. The command line connects with it; its first connection makes the channel.",
    ],
    fields: [],
    modes: ["connection"],
  },
};

/** What the ways are called in which messages arrive. */
export const MODE_NAMES = {
  connection: "The service connects to the platform. No public address is needed.",
  webhook: "The platform calls an address of the service, which must be public.",
} as const;

/** What the ways of taking messages of groups are called. */
export const GROUP_NAMES = {
  mention: "those that mention the bot or reply to it",
  all: "all that the bot sees",
  off: "none",
} as const;
