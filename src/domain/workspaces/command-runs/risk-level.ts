export type RiskLevel = "safe" | "moderate" | "high";

/** Commands that are hard to undo, or that reach beyond the project. */
const HIGH =
  /\b(rm|shred|dd|mkfs\S*|sudo|su|shutdown|reboot|kill|killall|pkill|chown)\b|\bgit\s+(push\b.*(--force|-f\b)|reset\s+--hard|clean)|\|\s*(ba|da|z)?sh\b|>\s*\/dev\//u;

/** Programs that only read, as long as they redirect nothing and run no other program. */
const LOOKING =
  /^(ls|pwd|cat|head|tail|wc|grep|rg|find|stat|du|df|file|which|echo|date|whoami|env|tree|git\s+(status|log|diff|show|branch))(\s|$)/u;
const ACTING = /[>`]|\$\(|-(exec|execdir|delete|ok)\b/u;

/**
 * How much a command may change, judged by its text. A hint for display and no guard: the text does not reveal what a
 * shell will do. `terminal.access` and the confinement of the project's runtime decide what may run.
 */
export function riskLevel(command: string): RiskLevel {
  if (HIGH.test(command)) return "high";
  const parts = command.split(/&&|\|\||[;|\n]/u).map((part) => part.trim());
  const isLooking = parts.every((part) => LOOKING.test(part) && !ACTING.test(part));
  return isLooking ? "safe" : "moderate";
}
