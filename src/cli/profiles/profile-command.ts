import { resolve } from 'node:path'
import { exposureOf, type ProfileFile, profileFilePath, readProfiles } from '../../profiles/index.js'
import { BaseCommand } from '../command/base-command.js'

/** A command that manages profiles. */
export abstract class ProfileCommand extends BaseCommand {
  /** The profiles; warns if other users can read the file that holds them. */
  protected profiles(): ProfileFile {
    this.warnIfExposed(profileFilePath(this.config.configDir))
    return readProfiles(this.config.configDir)
  }

  /** Warns if other users can read a file with a key or a secret. */
  protected warnIfExposed(file: string): void {
    const exposure = exposureOf(resolve(this.session.context.cwd, file))
    if (exposure !== undefined) this.session.notices.warn(exposure)
  }
}
