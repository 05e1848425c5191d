import { PLATFORMS, type ChannelAdapter, type Platform } from "#src/channels/channel.ts";

export interface OfferedPlatform {
  platform: Platform;
  label: string;
  /** Whether the service keeps a connection; otherwise the platform calls the channel's webhook. */
  hasConnection: boolean;
  /** What an owner needs, as a sentence. */
  needs: string;
}

const OFFERS: Readonly<Record<Platform, Pick<OfferedPlatform, "hasConnection" | "needs">>> = {
  telegram: { hasConnection: true, needs: "Create a bot with @BotFather and enter its token." },
  discord: {
    hasConnection: true,
    needs:
      "Create an application in the Discord Developer Portal, switch its Message Content intent on, and enter bot token, application id and public key.",
  },
  slack: {
    hasConnection: true,
    needs:
      "Create a Slack app with a bot and enter bot token and signing secret; with an app-level token for Socket Mode it needs no public address.",
  },
  whatsapp: {
    hasConnection: false,
    needs:
      "Set up the WhatsApp Cloud API and enter access token, phone number id, verify token and app secret; Meta calls the webhook, which needs a public https address.",
  },
  signal: {
    hasConnection: true,
    needs: "Run signal-cli-rest-api with a registered number and enter its address and the number.",
  },
  cli: { hasConnection: true, needs: "Connect with an API key over a WebSocket; nothing is to be entered." },
};

/** The platforms that channels can be of, in the order in which clients show them. */
export function offeredPlatforms({
  channels,
}: {
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "label">>>;
}): OfferedPlatform[] {
  return PLATFORMS.map((platform) => ({ platform, label: channels[platform].label, ...OFFERS[platform] }));
}
