import { AppError } from "./errors.ts";

/** Longest pattern, in characters. */
const MAX_PATTERN = 1_000;
/** Most patterns that braces may expand to. */
const MAX_ALTERNATIVES = 64;

export type PathMatcher = (path: string) => boolean;

/** A pattern for one character of a segment, or a star for any number of them. */
type Token = { kind: "star" } | { kind: "one"; accepts: (char: string) => boolean };

/** A pattern for one path segment, or `**` for any number of them. */
type Segment = "**" | { source: string; tokens: readonly Token[] | undefined };

/**
 * Compiles a glob over whole paths: `*` and `?` stay within a name, `**` between slashes is any number of directories,
 * `[a-z]` and `[!a]` are characters, `{a,b}` are alternatives, and a backslash escapes the next character. A name with
 * brackets also matches itself: many projects have files such as `app/[id]/page.tsx`. Matching takes at most pattern
 * times path steps. Throws `invalid_input`.
 */
export function compileGlob(pattern: string, { braces = true }: { braces?: boolean } = {}): PathMatcher {
  if (pattern.length > MAX_PATTERN) {
    throw new AppError("invalid_input", `The glob is longer than ${MAX_PATTERN} characters`);
  }
  const alternatives = (braces ? expandBraces(pattern) : [pattern]).map(toSegments);
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchesSegments(segments, names));
  };
}

/**
 * Same as `compileGlob`, with the convention of search tools: a pattern without a slash matches a name at any depth,
 * and a pattern that begins with a slash is anchored at the top.
 */
export function compileNameGlob(pattern: string): PathMatcher {
  if (pattern.startsWith("/")) return compileGlob(pattern.slice(1));
  return compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
}

/** Whether a pattern names something hidden, such as `.github/**`: hidden files are included when they are named. */
export function namesHidden(pattern: string): boolean {
  return /(?:^|[/{,!])\.[^./]/.test(pattern);
}

function toSegments(pattern: string): Segment[] {
  const segments = pattern
    .replace(/^(?:\.\/)+/, "")
    .split("/")
    .filter((source) => source !== "")
    .map((source): Segment => (source === "**" ? source : { source, tokens: toTokens(source) }));
  // `src/**` matches everything below src, but not src itself.
  return segments.at(-1) === "**" ? [...segments, { source: "*", tokens: [{ kind: "star" }] }] : segments;
}

/** Returns the tokens of a segment; undefined for a segment that only matches itself. */
function toTokens(source: string): Token[] | undefined {
  if (!/[*?[\\]/.test(source)) return undefined;
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
      continue;
    }
    if (char === "[") {
      const end = source.indexOf("]", at + 2);
      if (end !== -1) {
        tokens.push({ kind: "one", accepts: toClass(source.slice(at + 1, end)) });
        at = end;
        continue;
      }
    }
    const escaped = char === "\\" && at + 1 < source.length;
    if (escaped) at += 1;
    const wanted = source.charAt(at);
    tokens.push({ kind: "one", accepts: char === "?" ? () => true : (each) => each === wanted });
  }
  return tokens;
}

/** Compiles the text between brackets: characters and ranges; a leading `!` or `^` negates them. */
function toClass(body: string): (char: string) => boolean {
  const negated = /^[!^]/.test(body);
  const members = negated ? body.slice(1) : body;
  const ranges: [from: string, to: string][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members.charAt(at + 1) === "-" && at + 2 < members.length;
    ranges.push([members.charAt(at), members.charAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated;
}

/** Greedy matching that backtracks only to the last `**`, which is enough for such patterns. */
function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchGreedily(segments.length, names.length, {
    isStar: (at) => segments[at] === "**",
    matches: (at, name) => matchesName(segments[at], names[name] ?? ""),
  });
}

function matchesName(segment: Segment | undefined, name: string): boolean {
  if (segment === undefined || segment === "**") return false;
  if (segment.source === name) return true;
  const { tokens } = segment;
  if (!tokens) return false;
  return matchGreedily(tokens.length, name.length, {
    isStar: (at) => tokens[at]?.kind === "star",
    matches: (at, char) => {
      const token = tokens[at];
      return token?.kind === "one" && token.accepts(name.charAt(char));
    },
  });
}

/** Wildcard matching without recursion: after a mismatch only the last star takes one more item. */
function matchGreedily(
  patterns: number,
  items: number,
  { isStar, matches }: { isStar: (at: number) => boolean; matches: (at: number, item: number) => boolean },
): boolean {
  let [at, item, star, afterStar] = [0, 0, -1, 0];
  while (item < items) {
    if (at < patterns && isStar(at)) {
      [star, afterStar] = [at, item];
      at += 1;
    } else if (at < patterns && matches(at, item)) {
      at += 1;
      item += 1;
    } else if (star !== -1) {
      afterStar += 1;
      [at, item] = [star + 1, afterStar];
    } else return false;
  }
  while (at < patterns && isStar(at)) at += 1;
  return at === patterns;
}

/** Expands `a{b,c}` into `ab` and `ac`, also nested; braces without a comma or an end stay as they are. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const pending = [pattern];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    const brace = findBrace(each);
    if (brace) {
      const [before, after] = [each.slice(0, brace.start), each.slice(brace.end + 1)];
      pending.push(...brace.options.map((option) => before + option + after));
    } else done.push(each);
    if (done.length + pending.length > MAX_ALTERNATIVES) {
      throw new AppError(
        "invalid_input",
        `The glob's braces stand for more than ${MAX_ALTERNATIVES} patterns`,
      );
    }
  }
  return done;
}

/** Finds the first complete group of alternatives. */
function findBrace(pattern: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = pattern.indexOf("{"); start !== -1; start = pattern.indexOf("{", start + 1)) {
    if (pattern.charAt(start - 1) === "\\") continue;
    const options: string[] = [];
    let [depth, from] = [0, start + 1];
    for (let at = start; at < pattern.length; at += 1) {
      const char = pattern.charAt(at);
      if (char === "\\") at += 1;
      else if (char === "{") depth += 1;
      else if (char === "," && depth === 1) {
        options.push(pattern.slice(from, at));
        from = at + 1;
      } else if (char === "}") {
        depth -= 1;
        if (depth > 0) continue;
        if (options.length === 0) break;
        return { start, end: at, options: [...options, pattern.slice(from, at)] };
      }
    }
  }
  return undefined;
}
