export type RiskLevel = "safe" | "moderate" | "high";

/** What can hardly be undone, or reaches beyond the project. */
const HIGH =
  /\b(rm|shred|dd|mkfs\S*|sudo|su|shutdown|reboot|kill|killall|pkill|chown)\b|\bgit\s+(push\b.*(--force|-f\b)|reset\s+--hard|clean)|\|\s*(ba|da|z)?sh\b|>\s*\/dev\//u;

/** Programs that only look, as long as nothing is redirected or run by them. */
const LOOKING =
  /^(ls|pwd|cat|head|tail|wc|grep|rg|find|stat|du|df|file|which|echo|date|whoami|env|tree|git\s+(status|log|diff|show|branch))(\s|$)/u;
const ACTING = /[>`]|\$\(|-(exec|execdir|delete|ok)\b/u;

/**
 * How much a command may change, by its text. A hint for whoever shows it, and no guard: text tells little of what a shell will
 * do, and what may be run is decided by `terminal.access` and by what the project's runtime confines.
 */
export function riskLevel(command: string): RiskLevel {
  if (HIGH.test(command)) return "high";
  const parts = command.split(/&&|\|\||[;|\n]/u).map((part) => part.trim());
  const isLooking = parts.every((part) => LOOKING.test(part) && !ACTING.test(part));
  return isLooking ? "safe" : "moderate";
}
