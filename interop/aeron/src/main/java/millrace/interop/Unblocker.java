package millrace.interop;

import io.aeron.LogBuffers;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.logbuffer.LogBufferUnblocker;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Reads each log that a line `path position` names from that position on, as a subscriber, and unblocks it where it stands
 * still, as the driver. Answers with the frames: `D72` data, `P320` padding, `u` where it unblocked, `@` the end.
 */
public final class Unblocker
{
    public static void main(final String[] args) throws Exception
    {
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = input.readLine()) != null)
        {
            final int space = line.lastIndexOf(' ');
            try (LogBuffers log = new LogBuffers(line.substring(0, space)))
            {
                System.out.println(walk(log, Long.parseLong(line.substring(space + 1))));
            }
        }
    }

    private static String walk(final LogBuffers log, final long start)
    {
        final UnsafeBuffer[] terms = log.duplicateTermBuffers();
        final int termLength = log.termLength();
        final int bitsToShift = LogBufferDescriptor.positionBitsToShift(termLength);
        final StringBuilder frames = new StringBuilder();
        long position = start;
        while (true)
        {
            final UnsafeBuffer term = terms[LogBufferDescriptor.indexByPosition(position, bitsToShift)];
            final int offset = (int)(position & (termLength - 1));
            final int length = FrameDescriptor.frameLengthVolatile(term, offset);
            if (length > 0)
            {
                frames.append(FrameDescriptor.isPaddingFrame(term, offset) ? 'P' : 'D').append(length).append(' ');
                position += BitUtil.align(length, FrameDescriptor.FRAME_ALIGNMENT);
            }
            else if (LogBufferUnblocker.unblock(terms, log.metaDataBuffer(), position, termLength))
            {
                frames.append("u ");
            }
            else
            {
                return frames.append('@').append(position).toString();
            }
        }
    }
}
