import { cyan, green, red, type Part } from "./styles.ts";

/** A line of a unified diff with its colour. */
export function diffLine(line: string): Part {
  if (line.startsWith("+") && !line.startsWith("+++")) return green(line);
  if (line.startsWith("-") && !line.startsWith("---")) return red(line);
  if (line.startsWith("@@")) return cyan(line);
  return line;
}
