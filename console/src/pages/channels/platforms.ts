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
      "At api.slack.com/apps, create an app from scratch in your workspace.",
      "Under OAuth & Permissions, add the bot scope chat:write and install the app.",
      "For Socket Mode, which needs no public address, create an app-level token with the scope connections:write.",
    ],
    fields: [
      secret("bot_token", "Bot token", "Under OAuth & Permissions. Begins with xoxb-."),
      secret("signing_secret", "Signing secret", "Under Basic Information, App Credentials."),
      {
        ...secret("app_token", "App-level token", "Only for Socket Mode. Begins with xapp-."),
        isOptional: true,
      },
    ],
    modes: ["webhook", "connection"],
  },
  discord: {
    steps: [
      "In the Discord Developer Portal, create an application with a bot.",
      "Under Bot, turn on the Message Content intent.",
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
      "At developers.facebook.com, create an app with the product WhatsApp.",
      "Create a system user with a token that does not expire.",
    ],
    fields: [
      secret("access_token", "Access token", "Token of the system user."),
      plain("phone_number_id", "Phone number ID", "Under WhatsApp, API Setup. It is not the number itself."),
      secret("app_secret", "App secret", "Under App settings, Basic."),
      secret("verify_token", "Verify token", "Any word. Enter the same one at Meta."),
    ],
    modes: ["webhook"],
  },
  signal: {
    steps: [
      "Run signal-cli-rest-api in json-rpc mode, reachable only by this service.",
      "Register your number, or link it to your phone.",
    ],
    fields: [
      plain("signal_cli_url", "signal-cli-rest-api URL", "For example http://signal.internal:8080"),
      plain("phone_number", "Phone number", "With country code, for example +4915112345678"),
    ],
    modes: ["connection"],
  },
  cli: {
    steps: ["Create a key under API keys. The command line connects with it and creates the channel."],
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
  mention: "Only messages that mention or reply to the bot",
  all: "All messages",
  off: "None",
} as const;
