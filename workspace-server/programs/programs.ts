import { Program, type ProgramSpec } from "./program.ts";

/** All programs that run, whatever they are for. */
export class Programs {
  readonly #running = new Map<string, Program>();

  async start(spec: ProgramSpec): Promise<Program> {
    const program = await Program.start(spec);
    this.#running.set(program.mark, program);
    void program.ended.then(() => this.#running.delete(program.mark));
    return program;
  }

  /** The program with this mark is being killed because of a limit; one that is over already keeps its own end. */
  overLimit(mark: string, message: string): void {
    this.#running.get(mark)?.overLimit(message);
  }
}
