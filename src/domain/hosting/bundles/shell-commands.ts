/**
 * Finds the programs that a shell command starts, by reading it as a shell does: quotes, comments, redirections, lists,
 * subshells and substitutions. What only a running shell knows, such as the value of a variable, is not followed.
 * Source of the grammar: POSIX.1-2024, Shell Command Language, 2.2, 2.3, 2.4 and 2.10.
 */
export function startedPrograms(command: string): string[] {
  const programs: string[] = [];
  new ShellText(command, programs).readList(undefined);
  return programs;
}

/** What is nested deeper is not read: no build command is, and the stack is finite. */
const MAX_DEPTH = 20;

class ShellText {
  readonly #text: string;
  readonly #programs: string[];
  #depth: number;
  #at = 0;
  /** Delimiters of the here-documents that begin on the next line. */
  #documents: string[] = [];

  constructor(text: string, programs: string[], depth = 0) {
    this.#text = text;
    this.#programs = programs;
    this.#depth = depth;
  }

  /** Reads commands up to the closing character, or to the end. */
  readList(close: ")" | undefined): void {
    let words: string[] = [];
    const endCommand = () => {
      this.#take(words);
      words = [];
    };
    while (this.#at < this.#text.length) {
      const next = this.#text.charAt(this.#at);
      if (/[ \t]/u.test(next)) this.#at += 1;
      else if (next === "\n") {
        this.#at += 1;
        endCommand();
        this.#skipDocuments();
      } else if (next === "#") this.#skipTo("\n");
      else if (next === ")") {
        this.#at += 1;
        if (close !== undefined) break;
        // The pattern of a `case`.
        words = [];
      } else if (next === "(") {
        this.#at += 1;
        endCommand();
        this.#readNested();
      } else if (this.#text.startsWith("&>", this.#at) || /[<>]/u.test(next)) this.#readRedirection();
      else if (/[;&|]/u.test(next)) {
        this.#at += 1;
        endCommand();
      } else {
        const word = this.#readWord();
        // The number of the file that is redirected.
        if (!(/^\d+$/u.test(word) && /[<>]/u.test(this.#text.charAt(this.#at)))) words.push(word);
      }
    }
    endCommand();
  }

  #take(words: readonly string[]): void {
    const started = startedBy(words);
    if (started?.program !== undefined) this.#programs.push(started.program);
    if (started?.script !== undefined) this.#readInner(started.script);
  }

  /** Reads the commands up to the parenthesis that closes them. */
  #readNested(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#at = this.#text.length;
    this.readList(")");
    this.#depth -= 1;
  }

  /** Reads commands that are the text of an argument, or between backquotes. */
  #readInner(text: string): void {
    if (this.#depth < MAX_DEPTH) new ShellText(text, this.#programs, this.#depth + 1).readList(undefined);
  }

  #skipTo(character: string): void {
    const end = this.#text.indexOf(character, this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #readRedirection(): void {
    const [operator = ""] =
      /^(?:&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>])/u.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
    this.#at += operator.length;
    if (/^[<>]$/u.test(operator) && this.#text.charAt(this.#at) === "(") {
      this.#at += 1;
      this.#readNested();
      return;
    }
    while (/[ \t]/u.test(this.#text.charAt(this.#at))) this.#at += 1;
    const target = this.#readWord();
    if (/^<<-?$/u.test(operator)) this.#documents.push(target);
  }

  #skipDocuments(): void {
    for (const delimiter of this.#documents) {
      while (this.#at < this.#text.length) {
        const start = this.#at;
        this.#skipTo("\n");
        const line = this.#text.slice(start, this.#at);
        this.#at += 1;
        if (line.replace(/^\t+/u, "") === delimiter) break;
      }
    }
    this.#documents = [];
  }

  #readWord(): string {
    let word = "";
    while (this.#at < this.#text.length) {
      const next = this.#text.charAt(this.#at);
      if (/[\s;&|<>()]/u.test(next)) break;
      if (next === "'") {
        const start = this.#at + 1;
        this.#at = start;
        this.#skipTo("'");
        word += this.#text.slice(start, this.#at);
        this.#at += 1;
      } else if (next === '"') word += this.#readQuoted();
      else word += this.#readPiece();
    }
    return word;
  }

  /** Reads a text in double quotes. */
  #readQuoted(): string {
    let text = "";
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text.charAt(this.#at) !== '"') text += this.#readPiece();
    this.#at += 1;
    return text;
  }

  /** Reads one character, or what stands for others: an escape, a substitution. */
  #readPiece(): string {
    const next = this.#text.charAt(this.#at);
    this.#at += 1;
    if (next === "\\") {
      const escaped = this.#text.charAt(this.#at);
      this.#at += 1;
      return escaped === "\n" ? "" : escaped;
    }
    if (next === "`") {
      const start = this.#at;
      this.#skipTo("`");
      this.#readInner(this.#text.slice(start, this.#at));
      this.#at += 1;
      return "$";
    }
    if (next === "$" && this.#text.charAt(this.#at) === "(") {
      this.#at += 1;
      this.#readNested();
      return "$";
    }
    return next;
  }
}

/** Words of the grammar that stand before a command. */
const BEFORE_COMMANDS = new Set("if then elif else while until do ! { } time coproc fi done esac".split(" "));
/** Words of the grammar behind which no command stands. */
const WITHOUT_COMMAND = new Set(["for", "case", "select", "function"]);
/** Programs that start the program that their arguments name, with their options that have a value. */
const WRAPPERS: Readonly<Record<string, string>> = {
  env: "-u -C -S",
  exec: "-a",
  command: "",
  builtin: "",
  nohup: "",
  setsid: "",
  stdbuf: "-i -o -e",
  nice: "-n",
  ionice: "-c -n",
  sudo: "-u -g",
  timeout: "-k -s",
  xargs: "-I -n -P -L -d -a -s",
};
const SHELLS = new Set(["sh", "bash", "dash", "zsh"]);

const isAssignment = (word: string) => /^[A-Za-z_][A-Za-z0-9_]*\+?=/u.test(word);

/** What a simple command starts: a program, or a script that is given as text. */
function startedBy(words: readonly string[]): { program?: string; script?: string } | undefined {
  for (let at = 0; ; at += 1) {
    const word = words[at];
    if (word === undefined || WITHOUT_COMMAND.has(word)) return undefined;
    if (BEFORE_COMMANDS.has(word) || isAssignment(word)) continue;
    const name = word.slice(word.lastIndexOf("/") + 1);
    if (name === "eval") return { script: words.slice(at + 1).join(" ") };
    const options = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (options === undefined) return SHELLS.has(name) ? shell(word, words.slice(at + 1)) : { program: word };
    // It only asks where the program is.
    if (name === "command" && /^-[vV]$/u.test(words[at + 1] ?? "")) return undefined;
    while (words[at + 1]?.startsWith("-")) at += options.split(" ").includes(words[at + 1] ?? "") ? 2 : 1;
    // The duration comes first.
    if (name === "timeout") at += 1;
  }
}

function shell(program: string, words: readonly string[]): { program: string; script?: string } {
  const option = words.findIndex((word) => /^-[a-z]*c$/u.test(word));
  const script = option === -1 ? undefined : words[option + 1];
  return script === undefined ? { program } : { program, script };
}
