// Values and services that are created at their first use.

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The named methods of a service that is loaded when one of them is first called. */
export function lazy<T extends object, Name extends keyof T>(
  load: () => Promise<Pick<T, Name>>,
  names: readonly Name[],
): Pick<T, Name> {
  const loaded = once(load);
  const method =
    (name: Name) =>
    async (...args: unknown[]) => {
      const service = await loaded();
      return (service[name] as (...args: unknown[]) => unknown).apply(service, args);
    };
  return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<T, Name>;
}
