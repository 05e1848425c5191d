/** What the platforms of channels are called. */
export const PLATFORM_NAMES: Readonly<Record<string, string>> = {
  telegram: "Telegram",
  slack: "Slack",
  discord: "Discord",
  whatsapp: "WhatsApp",
  signal: "Signal",
  cli: "Command line",
};

/** What a platform is called; the service's word for one that is new here. */
export const platformName = (platform: string): string => PLATFORM_NAMES[platform] ?? platform;
