import { Program, type ProgramSpec } from "./program.ts";

/** All running programs, of every kind. */
export class Programs {
  readonly #running = new Map<string, Program>();
  readonly #starting = new Set<Promise<Program>>();

  async start(spec: ProgramSpec): Promise<Program> {
    const starting = Program.start(spec);
    this.#starting.add(starting);
    try {
      const program = await starting;
      this.#running.set(program.mark, program);
      void program.ended.then(() => this.#running.delete(program.mark));
      return program;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Ends the programs that are just starting: those who asked for them do not have them yet. */
  async endStarting(): Promise<void> {
    const ends = [...this.#starting].map(async (starting) => (await starting).kill());
    // One that could not be started has nothing to end.
    await Promise.allSettled(ends);
  }

  /**
   * The program with this mark is being killed because of a limit; a program that has already ended keeps its own
   * result.
   */
  overLimit(mark: string, message: string): void {
    this.#running.get(mark)?.overLimit(message);
  }
}
