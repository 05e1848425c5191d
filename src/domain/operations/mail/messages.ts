/** The content of a mail: the same as plain text and as HTML. */
export interface Message {
  subject: string;
  text: string;
  html: string;
}

/** The code that completes a login; on a line of its own, so that it can be copied. */
export function loginCode({ code, minutes }: { code: string; minutes: number }): Message {
  return message("Your login code", [
    "Enter this code to complete your login:",
    { code },
    `It is valid for ${count(minutes, "minute")}. Do not share it with anyone.`,
    "If you did not try to log in, another person knows your password: change it.",
  ]);
}

export function passwordReset({ link, hours }: { link: string; hours: number }): Message {
  return message("Reset your password", [
    "Open this address to choose a new password:",
    { link },
    `It is valid for ${count(hours, "hour")} and works once.`,
    "If you did not ask for this, ignore this email: your password stays as it is.",
  ]);
}

export function emailVerification({ link }: { link: string }): Message {
  return message("Confirm your email address", [
    "Open this address to confirm that this email address is yours:",
    { link },
    "If you have no account with us, ignore this email.",
  ]);
}

/** To the account's address. `link` is the page to request a new password. */
export function passwordChanged({ link }: { link: string }): Message {
  return message("Your password was changed", [
    "The password of your account was changed, and all its sessions were ended.",
    "If this was you, no action is needed. If it was not you, open this address and request a new password:",
    { link },
  ]);
}

/** To the account's address. `link` is the page with the account's passkeys. The name is the person's own, or a thief's. */
export function passkeyAdded({ name, link }: { name: string; link: string }): Message {
  return message("A passkey was added to your account", [
    `The passkey "${asName(name)}" was added to your account. It signs in without your password or a code.`,
    "If this was you, no action is needed. If it was not you, open this address, remove the passkey, and change your password:",
    { link },
  ]);
}

/** To the account's address. `link` is the page with the account's passkeys. */
export function passkeyRemoved({ name, link }: { name: string; link: string }): Message {
  return message("A passkey was removed from your account", [
    `The passkey "${asName(name)}" was removed from your account, and no longer signs in.`,
    "If this was you, no action is needed. If it was not you, open this address, look at what is left there, and change your password:",
    { link },
  ]);
}

/** To the owner of an address that another account now claims. `link` is the page to request a new password. */
export function addressInUse({ link }: { link: string }): Message {
  return message("You have an account with this address already", [
    "Another account was registered with this email address, or changed to it. You already have an account with this address, and your account keeps it. The other account cannot verify the address and cannot see your data.",
    "If this was you, log in with the password of your account. If you do not remember the password, open this address and request a new one:",
    { link },
    "If it was not you, no action is needed.",
  ]);
}

/** To the account's previous address. Does not name the new one, because either mailbox may belong to a stranger. */
export function emailChanged(): Message {
  return message("Your email address was changed", [
    "The email address of your account was changed. Emails about the account now go to the new address, and you can no longer log in with this one.",
    "If this was you, no action is needed. If it was not you, contact the operators of this service.",
  ]);
}

/** The names come from users: see `asName`. */
export function teamInvitation(invitation: {
  link: string;
  teamName: string;
  inviterName: string;
  days: number;
}): Message {
  const team = asName(invitation.teamName);
  const inviter = asName(invitation.inviterName) || "Someone";
  return message(`Invitation to the team "${team}"`, [
    `${inviter} invites you to the team "${team}". Open this address to see the invitation:`,
    { link: invitation.link },
    `It is valid for ${count(invitation.days, "day")}. If you do not know ${inviter}, ignore this email.`,
  ]);
}

/** To the owner of a schedule that was paused, or whose runs fail. The name is the owner's own, and so is what the text quotes. */
export function scheduleNotice({ name, text }: { name: string; text: string }): Message {
  return message(`Your schedule "${asName(name)}"`, [
    ...text.split("\n").filter((line) => line !== ""),
    "Its runs, with their errors, are listed with the schedule.",
  ]);
}

/** To the owner of a channel that the service ended. The name is the owner's own. */
export function channelNotice({ name, text }: { name: string; text: string }): Message {
  return message(`Your channel "${asName(name)}"`, [`The channel no longer works. ${text}.`]);
}

const NEWS = {
  completed: { subject: "Finished", sentence: "is finished" },
  failed: { subject: "Failed", sentence: "has failed" },
  asks: { subject: "Needs your input", sentence: "needs your input" },
} as const;

const BECAUSE_ASKED =
  "You get this email because you asked for it on the page of your account, where you can turn it off.";

/** To the person whose task ran for long. The title may quote the person or the agent. */
export function taskNotice({
  event,
  title,
  link,
}: {
  event: keyof typeof NEWS;
  title: string;
  link: string;
}): Message {
  const { subject, sentence } = NEWS[event];
  const name = asName(title) || "Your task";
  return message(`${subject}: ${name}`, [
    `The agent's work on "${name}" ${sentence}. Open this address to see it:`,
    { link },
    BECAUSE_ASKED,
  ]);
}

/** To those who own an MCP server that a task could not use. The name is one of theirs. */
export function serverNotice({ name, link }: { name: string; link: string }): Message {
  return message(`Needs authorization: ${asName(name)}`, [
    `An agent could not use the MCP server "${asName(name)}", which needs authorization. Open this address to connect it:`,
    { link },
    BECAUSE_ASKED,
  ]);
}

type Part = string | { code: string } | { link: string };

function message(subject: string, parts: readonly Part[]): Message {
  return {
    subject,
    text: `${parts.map(asText).join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${parts.map(asHtml).join("\n")}\n</body>\n</html>\n`,
  };
}

function asText(part: Part): string {
  if (typeof part === "string") return part;
  return "code" in part ? part.code : part.link;
}

function asHtml(part: Part): string {
  if (typeof part === "string") return `<p>${escapeHtml(part)}</p>`;
  if ("code" in part) return `<p><strong style="font-size: 1.5em">${escapeHtml(part.code)}</strong></p>`;
  const link = escapeHtml(part.link);
  return `<p><a href="${link}">${link}</a></p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

const NAME_LENGTH = 60;
const WORD_JOINER = "\u2060";

/**
 * A name chosen by a stranger, for a mail in the service's name: one short line, without characters that change the
 * text's direction or hide in it, and without text that a mail program would turn into a link.
 */
function asName(name: string): string {
  const line = name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "")
    .trim();
  const characters = Array.from(line);
  const short = characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH - 1).join("")}…` : line;
  // The word joiner is invisible and not allowed in addresses, so it breaks links.
  return short.replaceAll(/[.:/@](?=\S)/gu, `$&${WORD_JOINER}`);
}
