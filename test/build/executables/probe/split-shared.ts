export class Shared {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
