/** Creates what is due so many milliseconds from now; twice as many where that had passed before the service read it. */
export async function createSoon<T>(
  milliseconds: number,
  create: (schedule: string) => Promise<T>,
): Promise<T> {
  try {
    return await create(new Date(Date.now() + milliseconds).toISOString());
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("is in the past"))) throw error;
    return createSoon(2 * milliseconds, create);
  }
}
