import { Program, type ProgramSpec } from "./program.ts";

/** All running programs, of every kind. */
export class Programs {
  readonly #running = new Map<string, Program>();

  async start(spec: ProgramSpec): Promise<Program> {
    const program = await Program.start(spec);
    this.#running.set(program.mark, program);
    void program.ended.then(() => this.#running.delete(program.mark));
    return program;
  }

  /**
   * The program with this mark is being killed because of a limit; a program that has already ended keeps its own
   * result.
   */
  overLimit(mark: string, message: string): void {
    this.#running.get(mark)?.overLimit(message);
  }
}
