import { headOf } from "#src/lib/head-of.ts";
import { visibleLine } from "#src/lib/visible.ts";
import type { ChannelCard } from "./queries/identities.ts";

/** An address for those who need not know it: `ada@…`. */
export function maskedAddress(email: string): string {
  return `${email.slice(0, email.lastIndexOf("@") + 1)}…`;
}

/**
 * Whose bot a channel is and what it is about, as a sentence or two for those who write to it: its owner's word is all that
 * says who wrote a message.
 */
export function belongsTo({ ownerName, ownerEmail, teamName, projectName }: ChannelCard): string {
  const team = teamName === null ? "" : ` in team ${oneLine(teamName)}`;
  const place =
    projectName === null
      ? "It has no project, so it works for its owner alone."
      : `Through it the agent works in project ${oneLine(projectName)}.`;
  return `This bot belongs to ${oneLine(ownerName)} (${maskedAddress(ownerEmail)})${team}. ${place}`;
}

/** A name that another person chose, as part of a sentence of the service. */
function oneLine(name: string): string {
  return headOf(visibleLine(name), SHOWN_CHARS);
}

const SHOWN_CHARS = 80;
