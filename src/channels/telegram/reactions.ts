/** The emoji that bots may react with: https://core.telegram.org/bots/api#reactiontypeemoji */
const ALLOWED: ReadonlySet<string> = new Set(
  (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 " +
    "👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

/** What is near an emoji that Telegram does not allow. */
const NEAREST: Readonly<Record<string, string>> = {
  "✅": "👌",
  "✔": "👌",
  "☑": "👌",
  "❌": "👎",
  "✖": "👎",
  "⛔": "👎",
  "🚫": "👎",
  "⚠": "🤨",
  "❗": "😱",
  "❓": "🤔",
  "⏳": "✍",
  "⌛": "✍",
  "🔄": "✍",
  "📝": "✍",
  "🛑": "😴",
  "😂": "🤣",
  "🙂": "😁",
  "🚀": "🔥",
  "✨": "🎉",
};

const OTHERWISE = "👍";

/** The reaction for an emoji: itself, the nearest that is allowed, or a thumb. */
export function reactionFor(emoji: string): string {
  const bare = emoji.replaceAll("\u{FE0F}", "");
  return ALLOWED.has(bare) ? bare : (NEAREST[bare] ?? OTHERWISE);
}
